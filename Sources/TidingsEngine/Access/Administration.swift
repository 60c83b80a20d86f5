public import TidingsModel

/// How long somebody can administer a server, if nobody changes anything.
public enum Administration: Hashable, Sendable {
  /// An administrator who is not restricted has a key that does not expire.
  case lasting
  /// All keys of administrators that are not refused expire, the last one at this time.
  case until(Timestamp)
  /// Nobody can: all keys of administrators are revoked, expired or of restricted users.
  case impossible

  /// Rejects a change that would leave no administrator, or none without expiry.
  ///
  /// So a key that expires can lock out nobody else: one that does not remains.
  ///
  /// - Parameters:
  ///   - act: What would leave the server so, for the caller to read.
  ///   - after: What would remain.
  /// - Throws: `ItemError` `serverRejectedRequest`.
  func check(_ act: String, leaves after: Administration) throws(ItemError) {
    switch (self, after) {
    case (.lasting, .until), (.lasting, .impossible):
      throw ItemError(
        .serverRejectedRequest,
        "\(act) the server without an administrator whose key does not expire: give a user the role "
          + "'admin' and a key without expiry first"
      )
    case (.until, .impossible):
      throw ItemError(
        .serverRejectedRequest,
        "\(act) the server without an administrator who can call: give another user the role 'admin' "
          + "and a key without expiry first"
      )
    default: return
    }
  }
}
