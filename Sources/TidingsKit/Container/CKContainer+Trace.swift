internal import TidingsClient
internal import TidingsRPC

extension CKContainer {
  /// The span that calls are a part of, as W3C's `traceparent` names it; `nil`: that of `Connection.traceParent`.
  ///
  /// Set it for a part of a program, which the server's spans then continue:
  /// `await CKContainer.$traceParent.withValue(header) { try await database.save(record) }`. Operations are a part of the
  /// span in which they were made. Texts that are no `traceparent` are ignored.
  @TaskLocal public static var traceParent: String?
}

extension ClientConfiguration {
  /// Lets calls carry the span of their task, or else always the same one.
  mutating func continueTraces(otherwise traceParent: String) {
    let usual = TraceContext(traceParent)
    traceContext = { CKContainer.traceParent.flatMap { TraceContext($0) } ?? usual }
  }
}
