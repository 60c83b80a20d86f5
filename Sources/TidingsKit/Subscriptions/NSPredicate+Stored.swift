internal import Foundation
internal import TidingsProto

extension NSPredicate {
  /// A condition that the server keeps; absent: every record.
  convenience init(_ wire: TidingsV1.Predicate?) {
    guard let wire, !wire.text.isEmpty, wire.text != "TRUEPREDICATE" else {
      self.init(value: true)
      return
    }
    self.init(format: wire.text, argumentArray: wire.arguments)
  }
}
