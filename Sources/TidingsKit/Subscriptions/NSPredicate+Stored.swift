internal import Foundation
internal import TidingsProto

extension NSPredicate {
  /// A condition that the server keeps; absent: every record.
  convenience init(_ wire: TidingsV1.Predicate?) {
    guard let wire, !wire.text.isEmpty, wire.text != "TRUEPREDICATE" else {
      self.init(value: true)
      return
    }
    self.init(
      format: wire.text,
      argumentArray: wire.arguments.map { argument in
        (argument.value.flatMap { CKRecordContent($0).value } ?? NSNull()) as Any
      }
    )
  }

  func wire() throws -> TidingsV1.Predicate? {
    if self == NSPredicate(value: true) { return nil }
    guard let source = PredicateQuestion.ask(self) else {
      throw CKError(.invalidArguments, "the predicate was not made from a format")
    }
    return .init(
      text: source.format,
      arguments: source.arguments.map { argument in
        (argument as? any CKRecordValueProtocol)?.recordContent.wire ?? .init()
      }
    )
  }
}
