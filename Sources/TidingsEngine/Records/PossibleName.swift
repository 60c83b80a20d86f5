// Not every database can store or compare U+0000, which is in no record's name.
extension String {
  /// There can be a record of this name.
  var isPossibleName: Bool { utf8.allSatisfy { $0 != 0 } }

  /// A text at the same place among names, which have no control characters.
  var amongNames: String {
    guard !isPossibleName else { return self }
    return String(unicodeScalars.prefix { $0 != "\0" }) + "\u{1}"
  }
}
