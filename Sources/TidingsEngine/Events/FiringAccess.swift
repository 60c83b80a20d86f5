internal import TidingsModel
internal import TidingsSQL

/// Decides which channels of public databases may fire for a change now.
///
/// A channel of one reader fires for what that user may read, a shared one for what every user may read:
/// also while the subscriptions still move from one to the other after a change of grants.
final class FiringAccess {
  private let channels: WatchedChannels
  private let accesses: PublicAccesses

  init(channels: WatchedChannels, accesses: PublicAccesses) {
    (self.channels, self.accesses) = (channels, accesses)
  }

  /// Whether a channel may fire for a change of a record.
  func mayTell(
    _ channel: Int64,
    of record: Record,
    in database: DatabaseEntry
  ) throws -> Bool {
    guard database.id.scope == .public else { return true }
    guard let reader = channels.reader(of: channel) else {
      return try accesses.isOpen(record.recordType, in: database.id)
    }
    return try accesses.access(of: reader, in: database.id).rights(on: record.recordType)
      .mayRead { record.creator == reader }
  }

  /// Whether a channel may fire for changed records of a zone.
  ///
  /// - Parameters:
  ///   - channel: Its number.
  ///   - creators: By the types that the channel watches and of which records changed, the users who
  ///     created those.
  ///   - database: The zone's database.
  /// - Returns: Whether the channel may fire for one of the records.
  /// - Throws: `SQLError`.
  func mayTell(
    _ channel: Int64,
    ofZoneWith creators: [String: Set<String>],
    in database: DatabaseEntry
  ) throws -> Bool {
    guard database.id.scope == .public else { return true }
    guard let reader = channels.reader(of: channel) else {
      return try creators.keys.contains { try accesses.isOpen($0, in: database.id) }
    }
    let access = try accesses.access(of: reader, in: database.id)
    return try creators.contains { type, creators in
      try access.rights(on: type).mayRead { creators.contains(reader) }
    }
  }
}
