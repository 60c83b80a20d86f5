internal import Foundation
internal import TidingsProto

extension NSPredicate {
  /// A condition that the server keeps; absent: every record.
  static func stored(_ wire: TidingsV1.Predicate?) -> NSPredicate {
    guard let wire, !wire.text.isEmpty, wire.text != "TRUEPREDICATE" else {
      return NSPredicate(value: true)
    }
    return .from(wire)
  }
}
