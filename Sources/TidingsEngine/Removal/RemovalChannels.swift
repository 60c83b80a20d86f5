internal import TidingsModel
internal import TidingsSQL

/// Decides which channels fire for the removal of which zones: those that had a subscription when the zone
/// was deleted, whatever became of the subscription since.
///
/// Most channels have no row here: they fire for everything. Zones are deleted in private databases only,
/// where a channel has one active subscription at most.
final class RemovalChannels: TransactionParticipant {
  private struct Bounds {
    /// Fires for removals with higher numbers.
    var after: Int64
    /// The last removal that it fires for; `nil`: its subscription is active, it fires for all.
    var until: Int64?
    /// The subscription that was deleted.
    var subscription: Int64?
  }

  /// Most channels that are closed in one piece.
  private static let closedPerPiece: Int64 = 50

  private let removals: ZoneRemovalTable
  private let channels: ChannelRegistry
  private var bounds: [Int64: Bounds] = [:]
  /// Channels of deleted subscriptions that fired, and their newest event.
  private var fired: [Int64: Int64] = [:]
  private let selectAll: any SQLStatement
  private let selectDone: any SQLStatement
  private let upsert: any SQLStatement
  private let delete: any SQLStatement
  private let updateEnd: any SQLStatement

  init(
    _ connection: any SQLConnection,
    removals: ZoneRemovalTable,
    channels: ChannelRegistry
  ) throws {
    (self.removals, self.channels) = (removals, channels)
    selectAll = try connection.prepare(
      "SELECT channel_id, after_id, until_id, subscription_id FROM zone_removal_channels"
    )
    selectDone = try connection.prepare(
      "SELECT channel_id FROM zone_removal_channels WHERE done_id <= ?1 LIMIT ?2"
    )
    upsert = try connection.prepare(
      """
      INSERT INTO zone_removal_channels (channel_id, after_id, until_id, subscription_id, done_id)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (channel_id) DO UPDATE SET after_id = excluded.after_id,
        until_id = excluded.until_id, subscription_id = excluded.subscription_id,
        done_id = excluded.done_id
      """
    )
    delete = try connection.prepare("DELETE FROM zone_removal_channels WHERE channel_id = ?1")
    updateEnd = try connection.prepare("UPDATE subscriptions SET ended = ?2 WHERE id = ?1")
    try reload()
  }

  func reload() throws {
    (bounds, fired) = ([:], [:])
    let rows = selectAll
    try rows.forEachRow {
      bounds[rows.int64(0)] = Bounds(
        after: rows.int64(1),
        until: rows.isNull(2) ? nil : rows.int64(2),
        subscription: rows.isNull(3) ? nil : rows.int64(3)
      )
    }
  }

  /// Whether a channel fires for a removal; without one, for any other change.
  func fires(_ channel: Int64, for removal: Int64?) -> Bool {
    guard !bounds.isEmpty, let bounds = bounds[channel] else { return true }
    guard let removal else { return bounds.until == nil }
    return removal > bounds.after && removal <= bounds.until ?? .max
  }

  // MARK: Subscriptions

  /// A subscription joined a channel: what is being removed was deleted before.
  func joined(_ channel: ChannelEntry, in database: DatabaseEntry) throws(SQLError) {
    guard channel.members == 1, let newest = try removals.newest(in: database) else { return }
    try write(Bounds(after: newest), of: channel.number)
  }

  /// A subscription is deleted: if its channel still has to fire for removals, it stays for these.
  ///
  /// - Returns: Whether the channel stays.
  func keep(
    _ channel: Int64,
    of subscription: Int64,
    in database: DatabaseEntry
  ) throws -> Bool {
    guard let newest = try removals.newest(in: database),
      channels.watched.entry(channel)?.members == 1
    else { return false }
    let after = bounds[channel]?.after ?? 0
    guard newest > after else { return false }
    // Whoever asks for the same from now on gets another channel.
    try channels.retireKey(of: channel)
    try write(
      Bounds(after: after, until: newest, subscription: subscription),
      of: channel
    )
    return true
  }

  private func write(_ new: Bounds, of channel: Int64) throws(SQLError) {
    upsert.bind(channel, at: 1)
    upsert.bind(new.after, at: 2)
    upsert.bind(new.until, at: 3)
    upsert.bind(new.subscription, at: 4)
    upsert.bind(new.until ?? new.after, at: 5)
    try upsert.run()
    bounds[channel] = new
  }

  // MARK: Removals

  /// A channel has fired for a removal.
  ///
  /// - Returns: Whether it stayed for removals alone: no device registers for its pushes, and none that did
  ///   is still to receive them.
  func noteFiring(of channel: ChannelEntry) -> Bool {
    guard !bounds.isEmpty, bounds[channel.number]?.subscription != nil else { return false }
    fired[channel.number] = channel.head
    return true
  }

  /// Gives the events of this piece to the subscriptions that were deleted meanwhile.
  func writeEnds() throws(SQLError) {
    for (channel, head) in fired { try end(bounds[channel]?.subscription, at: head) }
    fired.removeAll()
  }

  private func end(_ subscription: Int64?, at head: Int64) throws(SQLError) {
    guard let subscription else { return }
    updateEnd.bind(subscription, at: 1)
    updateEnd.bind(head, at: 2)
    try updateEnd.run()
  }

  /// A channel that fires once has fired.
  ///
  /// - Returns: Whether it had stayed for removals alone, and is closed now.
  func close(_ channel: ChannelEntry) throws -> Bool {
    guard !bounds.isEmpty, let known = bounds[channel.number], known.until != nil else {
      return false
    }
    try end(known.subscription, at: channel.head)
    fired[channel.number] = nil
    try forget(channel.number)
    return true
  }

  private func forget(_ channel: Int64) throws {
    let hasEnded = bounds.removeValue(forKey: channel)?.until != nil
    delete.bind(channel, at: 1)
    try delete.run()
    if hasEnded { try channels.unwatch(channel) }
  }

  /// A removal is done: forgets what had an effect for it and earlier ones only, some at a time.
  ///
  /// - Returns: Whether nothing is left.
  func settle(_ removal: Int64) throws -> Bool {
    var done: [Int64] = []
    selectDone.bind(removal, at: 1)
    selectDone.bind(Self.closedPerPiece, at: 2)
    try selectDone.forEachRow { done.append(selectDone.int64(0)) }
    for channel in done { try forget(channel) }
    return done.count < Self.closedPerPiece
  }
}
