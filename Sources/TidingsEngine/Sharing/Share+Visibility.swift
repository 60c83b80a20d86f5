internal import TidingsCodec
internal import TidingsModel

/// What of a share is shown to whom.
extension Share {
  /// Whether a user changes the share: its owner, and administrators who have accepted.
  func isManaged(by user: String) -> Bool {
    guard let participant = participant(user) else { return false }
    return participant.role == .owner
      || participant.role == .administrator && participant.status == .accepted
  }

  /// The share as a user sees it: who has not accepted sees the owner only, and what concerns the user.
  func seen(by user: String) -> Share {
    if isManaged(by: user) { return self }
    var share = withoutSecrets
    guard participant(user)?.status != .accepted else { return share }
    share.participants.removeAll { $0.role != .owner && $0.user != user }
    return share
  }

  /// What all participants may see: no requests, nobody who is blocked, and no invitation that is open.
  var withoutSecrets: Share {
    var share = self
    share.requesters = []
    share.blockedUsers = []
    share.participants.removeAll(where: \.isOpen)
    return share
  }
}

extension BodyCodec {
  /// The bytes of a record as one of those sees it with whom it is shared.
  ///
  /// - Parameters:
  ///   - body: The stored record.
  ///   - user: Who sees it.
  /// - Returns: The bytes; `nil`: as they are stored.
  /// - Throws: What decoding throws.
  func body(_ body: UnsafeRawBufferPointer, seenBy user: String) throws -> [UInt8]? {
    guard isShare(body) else { return nil }
    var record = try decodeRecord(body)
    record.share = record.share?.seen(by: user)
    return encode(record)
  }
}
