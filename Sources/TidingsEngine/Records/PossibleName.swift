// Names of records are printable ASCII. What else a query or a call names is compared with them by its bytes, which is
// not the order of Swift's strings ("e" with an accent comes behind "f"), and not every database can store U+0000.
extension String {
  /// There can be a record of this name.
  var isPossibleName: Bool { utf8.allSatisfy(\.isOfNames) }

  /// A text at the same place among names, in ASCII.
  var amongNames: String {
    guard let other = utf8.first(where: { !$0.isOfNames }) else { return self }
    return String(decoding: utf8.prefix(while: \.isOfNames), as: UTF8.self)
      + (other < 0x20 ? "\u{1}" : "\u{7f}")
  }
}

extension UInt8 {
  fileprivate var isOfNames: Bool { (0x20...0x7e).contains(self) }
}
