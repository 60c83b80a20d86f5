internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsZeroMQ

/// The span of a call that is recorded.
final class CallSpan {
  let span: Span

  init(_ span: Span) { self.span = span }
}

extension ObservedCall {
  /// Its span; `nil`: it is not recorded.
  var span: Span? { (context as? CallSpan)?.span }

  /// Begins its span, if its trace is recorded.
  func beginSpan(by tracer: Tracer) {
    let parent = TraceContext(traceParent)
    let start = unixNanoseconds(monotonic: started)
    let span = tracer.begin(method.fullName, .server, below: parent, at: start)
    context = span.map { CallSpan($0) }
  }

  /// Records its span.
  func endSpan(_ code: StatusCode, nanoseconds: UInt64, by tracer: Tracer) {
    guard var span else { return }
    span.end = span.start + Int64(nanoseconds)
    span.attributes = [
      ("rpc.system", .string("tidings")), ("rpc.service", .string(method.service)),
      ("rpc.method", .string(method.name)),
      ("rpc.grpc.status_code", .integer(Int(code.rawValue))),
    ]
    if !requestID.isEmpty { span.attributes.append(("tidings.request_id", .string(requestID))) }
    let counts = [
      ("tidings.zones", touched.zones), ("tidings.records_read", touched.recordsRead),
      ("tidings.records_saved", touched.recordsSaved),
      ("tidings.records_deleted", touched.recordsDeleted),
    ]
    span.attributes += counts.filter { $0.1 > 0 }.map { ($0.0, .integer($0.1)) }
    if let plan { span.attributes.append(("tidings.plan", .string(plan))) }
    if code.isFailureOfServer { span.failure = code.description }
    tracer.record(span)
  }
}

extension StatusCode {
  /// The others are for the caller to correct.
  fileprivate var isFailureOfServer: Bool {
    [.unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss].contains(self)
  }
}
