internal import TidingsKeys
internal import TidingsModel

/// What names, roles and texts of accounts may be.
enum AccountGrammar {
  /// Longest name of a user, in bytes.
  static let nameBytesMax = 64
  /// Longest text for people, in bytes.
  static let textBytesMax = 255

  /// Refuses what is no name of a user.
  static func check(name: String) throws(ItemError) {
    let isFirst: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    let isFurther: (UInt8) -> Bool = { byte in
      isFirst(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
    let bytes = name.utf8
    guard bytes.count <= nameBytesMax, let first = bytes.first, isFirst(first),
      bytes.allSatisfy(isFurther)
    else {
      throw ItemError(
        .invalidArguments,
        "the user name \(Identifier.shown(name)) is not valid: use 1 to \(nameBytesMax) ASCII "
          + "letters, digits, '.', '-' and '_', beginning with a letter or digit"
      )
    }
  }

  /// Refuses roles that no user can have; returns the others sorted, each once.
  static func checked(roles: [String], countMax: Int) throws(ItemError) -> [String] {
    let roles = Set(roles)
    guard roles.count <= countMax else {
      throw ItemError(
        .limitExceeded,
        "the user would have \(roles.count) roles and may have \(countMax): let an operator raise "
          + "--limit roles-per-user-max"
      )
    }
    for role in roles {
      if let problem = problem(in: role) { throw ItemError(.invalidArguments, problem) }
    }
    return roles.sorted()
  }

  /// A word, or a container and a word.
  private static func problem(in role: String) -> String? {
    guard let slash = role.lastIndex(of: "/") else { return Identifier.problem(inRole: role) }
    return Identifier.problem(inContainer: String(role[..<slash]))
      ?? Identifier.problem(inRole: String(role[role.index(after: slash)...]))
  }

  /// Refuses a text for people that is too long or would disturb a terminal.
  static func check(text: String, what: String) throws(ItemError) {
    guard text.utf8.count <= textBytesMax else {
      throw ItemError(
        .invalidArguments,
        "the \(what) has \(text.utf8.count) bytes and may have \(textBytesMax)"
      )
    }
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
    else {
      throw ItemError(.invalidArguments, "the \(what) has a control character: leave it out")
    }
  }

  /// Refuses a key that could not be used.
  static func check(_ key: KeyRequest, at now: Timestamp) throws(ItemError) {
    try check(text: key.label, what: "label of the key")
    guard let expires = key.expires else { return }
    guard expires > now, Timestamp.validRange.contains(expires) else {
      throw ItemError(
        .invalidArguments,
        "the key would expire in the past: give a later time, or revoke the key to refuse it at once"
      )
    }
  }

  /// Refuses a quota that is no number.
  static func check(_ quota: Quota?) throws(ItemError) {
    guard let quota else { return }
    let bounds = [
      quota.recordsMax, quota.bytesMax, quota.callsPerSecondMax, quota.subscriptionsMax,
      quota.connectionsMax,
    ]
    guard bounds.allSatisfy({ $0 >= 0 }) else {
      throw ItemError(.invalidArguments, "a bound of the quota is negative; 0 is none")
    }
  }
}
