/// The grammar of names.
///
/// Each function says in words what is wrong with a name; `nil`: nothing.
package enum Identifier {
  static let bytesMax = 255

  /// A name of a type or field: `[A-Za-z][A-Za-z0-9_]*`.
  static func problem(inFieldName name: String) -> String? {
    problem(inWord: name, what: "field name", bytesMax: PredicateLimits.fieldNameBytesMax)
  }

  static func problem(inRecordType name: String) -> String? {
    problem(inWord: name, what: "record type", bytesMax: bytesMax)
  }

  package static func problem(inRole name: String) -> String? {
    problem(inWord: name, what: "role", bytesMax: bytesMax)
  }

  static func problem(inRecordName name: String) -> String? {
    guard let problem = problem(inPrintable: name, what: "record name") else { return nil }
    return name == CurrentUser.name ? CurrentUser.problemInRecordName : problem
  }

  /// The server's own records, users for example, have names that begin with `_`.
  static func problem(inReferencedName name: String) -> String? {
    problem(inPrintable: name, what: "record name of the reference", allowsUnderscore: true)
  }

  /// The user's record name, as calls give it.
  package static func problem(inUserName name: String) -> String? {
    if let problem = problem(inLengthOf: name, what: "user name") { return problem }
    if name == CurrentUser.name {
      return "the user name '\(name)' stands for the caller; choose another"
    }
    guard !name.hasOnly({ (0x21...0x7e).contains($0) }) else { return nil }
    return "the user name \(shown(name)) may have printable ASCII characters without spaces only"
  }

  /// Refuses a name after which a page would begin, if no page ends with it.
  ///
  /// - Parameter name: Of a user or a device; empty: the first page.
  /// - Throws: `invalidArguments`.
  package static func check(pageAfter name: String) throws(ItemError) {
    guard !name.isEmpty, problem(inUserName: name) != nil else { return }
    throw ItemError(
      .invalidArguments,
      "after: no page ends with \(shown(name)); send the last name of the page before"
    )
  }

  static func problem(inSubscriptionID name: String) -> String? {
    problem(inPrintable: name, what: "subscription ID")
  }

  static func problem(inZoneName name: String) -> String? {
    if name == ZoneID.default.zoneName { return nil }
    return problem(inPrintable: name, what: "zone name")
  }

  package static func problem(inContainer name: String) -> String? {
    if let problem = problem(inLengthOf: name, what: "container name") { return problem }
    let allowed: (UInt8) -> Bool = {
      $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "_")
    }
    guard !name.hasOnly(allowed) else { return nil }
    return "the container name \(shown(name)) may have ASCII letters, digits, '.', '-' and '_' only"
  }

  /// A name, quoted, cut and free of control characters, for messages.
  package static func shown(_ name: String) -> String {
    let shownCountMax = 60
    let safe = String(
      name.prefix(shownCountMax).map { character in
        character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f } ? "?" : character
      }
    )
    return "'\(safe)\(name.count > shownCountMax ? "…" : "")'"
  }

  private static func problem(inWord name: String, what: String, bytesMax: Int) -> String? {
    if let problem = problem(inLengthOf: name, what: what, bytesMax: bytesMax) { return problem }
    let isWord =
      name.utf8.first?.isASCIILetter == true && name.hasOnly(\.isIdentifierByte)
    guard !isWord else { return nil }
    return "the \(what) \(shown(name)) must begin with a letter A-Z or a-z and go on with letters, "
      + "digits and '_'"
  }

  private static func problem(
    inPrintable name: String,
    what: String,
    allowsUnderscore: Bool = false
  ) -> String? {
    if let problem = problem(inLengthOf: name, what: what) { return problem }
    if name.utf8.first == UInt8(ascii: "_"), !allowsUnderscore {
      return "the \(what) \(shown(name)) begins with '_', which is kept for the server; "
        + "choose another"
    }
    guard !name.hasOnly({ (0x20...0x7e).contains($0) }) else { return nil }
    return "the \(what) \(shown(name)) may have printable ASCII characters only"
  }

  private static func problem(
    inLengthOf name: String,
    what: String,
    bytesMax: Int = Self.bytesMax
  ) -> String? {
    if name.isEmpty { return "the \(what) is empty; it has 1 to \(bytesMax) bytes" }
    guard name.utf8.count > bytesMax else { return nil }
    return
      "the \(what) \(shown(name)) has \(name.utf8.count) bytes, at most \(bytesMax) are allowed"
  }
}

extension String {
  /// Whether all bytes fit: in one loop over memory, since every name of every call comes here.
  fileprivate func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
    var text = self
    return text.withUTF8 { bytes in
      for byte in bytes where !isAllowed(byte) { return false }
      return true
    }
  }
}

extension UInt8 {
  var isASCIILetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  /// May stand in a name of a field, though not digits and `_` first.
  var isIdentifierByte: Bool { isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") }
}
