internal import TidingsMatcher
internal import TidingsModel

/// The channels that have subscribers, in memory, and the index that finds those that a change fires.
///
/// Only `ChannelRegistry` adds and removes channels, and restores them when a transaction is rolled back.
///
/// Unchecked: values that are changed by functions that call nothing beyond them, on the loop's thread.
final class WatchedChannels {
  /// What is being measured; `nil`: nothing is.
  @exclusivity(unchecked) var matchingTime: MatchingTime?
  @exclusivity(unchecked) private var entries = ChannelMap<ChannelEntry>()
  /// The only readers of channels, for those that not every user may read.
  @exclusivity(unchecked) private var readers: [Int64: String] = [:]
  private let index = ChannelIndex()
  @exclusivity(unchecked) private var zones = WatchedZones()
  /// Numbers of the zones that query channels name, for the index.
  @exclusivity(unchecked) private var zoneNumbers = ZoneNumbers()
  @exclusivity(unchecked) private var time = Timestamp(millisecondsSince1970: 0)
  /// The sum of `memoryBytes` of all channels.
  private(set) var memoryBytes = 0

  /// How many channels have subscribers.
  var count: Int { entries.count }

  /// Makes room for channels.
  func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
    index.reserveCapacity(count)
  }

  /// Changes are of this time from now on.
  func begin(at moment: Moment) { time = moment.timeOfDay }

  // MARK: Channels

  /// The channel with a number, if it has subscribers.
  func entry(_ channel: Int64) -> ChannelEntry? { entries[channel] }

  /// The only reader of a channel; `nil`: everyone may read it.
  func reader(of channel: Int64) -> String? { readers.isEmpty ? nil : readers[channel] }

  /// The channels with only one reader: those of this user, with the numbers of their databases.
  func channels(of reader: String) -> [ChannelEntry] {
    readers.lazy.filter { $0.value == reader }.map(\.key).sorted().compactMap { entries[$0] }
  }

  /// The numbers of the channels of a database that have subscribers.
  func numbers(in database: DatabaseEntry) -> [Int64] {
    entries.all.lazy.filter { $0.databaseNumber == database.number }.map(\.number).sorted()
  }

  // MARK: Members

  /// Adds a channel as it is stored, that watches for fields with values.
  func insert(_ row: ChannelTable.Watched, _ watch: ConjunctionWatch) {
    let entry = ChannelEntry(row, .query)
    enter(entry, row.reader)
    index.insert(
      row.number,
      database: row.databaseNumber,
      recordType: watch.recordType,
      zone: take(watch.zoneID, for: entry),
      options: watch.options,
      conditions: watch.conditions
    )
  }

  /// Adds a channel as it is stored.
  func insert(_ row: ChannelTable.Watched, _ watch: ChannelWatch) {
    insert(ChannelEntry(row, watch.kind), watch, row.reader)
  }

  private func enter(_ entry: ChannelEntry, _ reader: String?) {
    entries[entry.number] = entry
    memoryBytes += entry.memoryBytes
    if let reader { readers[entry.number] = reader }
  }

  /// Adds a channel; `nil`: everyone may read it.
  func insert(_ entry: ChannelEntry, _ watch: ChannelWatch, _ reader: String?) {
    enter(entry, reader)
    guard watch.kind == .query else {
      zones.insert(
        entry.number,
        database: entry.databaseNumber,
        zone: watch.zoneID,
        recordType: watch.recordType
      )
      return
    }
    index.insert(
      WatchedChannel(
        channel: entry.number,
        database: entry.databaseNumber,
        recordType: watch.recordType,
        zone: take(watch.zoneID, for: entry),
        predicate: watch.predicate,
        options: watch.options
      )
    )
  }

  /// Removes a channel: changes no longer fire it.
  func remove(_ entry: ChannelEntry) {
    entries[entry.number] = nil
    memoryBytes -= entry.memoryBytes
    readers[entry.number] = nil
    if entry.kind == .query {
      index.remove(channel: entry.number)
      zoneNumbers.release(entry.zoneNumber)
    } else {
      zones.remove(entry.number)
    }
  }

  private func take(_ zone: ZoneID?, for entry: ChannelEntry) -> Int64? {
    guard let zone else { return nil }
    entry.zoneNumber = zoneNumbers.take(zone)
    return entry.zoneNumber
  }

  // MARK: Counts

  /// A change to a record of this type may fire a query channel.
  func watches(_ recordType: String, in database: DatabaseEntry) -> Bool {
    index.watches(database: database.number, recordType: recordType)
  }

  /// How many comparisons each change to a record of this type is matched with, whatever is in it.
  func openComparisons(_ recordType: String, in database: DatabaseEntry) -> Int {
    index.openComparisons(database: database.number, recordType: recordType)
  }

  /// How many query channels a change to a record of this type may fire.
  func queryChannelCount(_ recordType: String, in database: DatabaseEntry) -> Int {
    index.channelCount(database: database.number, recordType: recordType)
  }

  /// How many zone and database channels the change of a zone fires.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - database: Its database.
  ///   - recordTypes: The types of the records that change.
  ///   - isZoneItself: The zone is created or deleted.
  /// - Returns: The number.
  func zoneChannelCount(
    _ zone: ZoneID,
    in database: DatabaseEntry,
    recordTypes: Set<String>,
    isZoneItself: Bool
  ) -> Int {
    zones.matchCount(
      database: database.number,
      zone: zone,
      recordTypes: recordTypes,
      isZoneItself: isZoneItself
    )
  }

  /// How many zone and database channels a database has.
  func zoneChannelCount(of database: DatabaseEntry) -> Int {
    zones.channelCount(database: database.number)
  }

  /// How many zone and database channels there are.
  var zoneChannelCount: Int { zones.count }

  /// There are zone or database channels at all.
  var watchesAnyZone: Bool { zones.count > 0 }

  /// A change of a zone may fire a zone or database channel.
  func watchesZones(in database: DatabaseEntry) -> Bool {
    zones.watches(database: database.number)
  }

  /// How many changes were looked at for a channel since the start, and the last one's time.
  ///
  /// Counted for all query channels of a record type together, and for all zone and database channels
  /// of a database.
  func evaluation(of channel: Int64) -> Evaluation {
    guard let entry = entries[channel] else { return Evaluation() }
    return entry.kind == .query
      ? index.evaluation(of: channel) : zones.evaluation(database: entry.databaseNumber)
  }

  // MARK: Changes

  private func measured(since begin: ContinuousClock.Instant) {
    if matchingTime?.begin == nil { matchingTime?.begin = begin }
    matchingTime?.duration += begin.duration(to: .now)
    matchingTime?.changes += 1
  }

  /// Finds the query channels that a change fires.
  ///
  /// - Parameters:
  ///   - old: The record before.
  ///   - new: The record after.
  ///   - zone: Its zone.
  ///   - database: The zone's database.
  ///   - memory: What is known of large values.
  ///   - counts: Whether the change was looked at, for `evaluation(of:)`; if not, it will be again.
  ///   - firings: Where to append.
  func match(
    old: Record?,
    new: Record?,
    zone: ZoneID,
    in database: DatabaseEntry,
    memory: EvaluationMemory?,
    counts: Bool = true,
    into firings: inout [Firing]
  ) {
    let begin = matchingTime == nil ? nil : ContinuousClock.now
    defer { if let begin { measured(since: begin) } }
    index.match(
      database: database.number,
      zone: zoneNumbers[zone],
      old: old,
      new: new,
      at: counts ? time : nil,
      memory: memory,
      into: &firings
    )
  }

  /// Notes that a change of a record was looked at.
  func noteEvaluation(of recordType: String, in database: DatabaseEntry) {
    index.noteEvaluation(database: database.number, recordType: recordType, at: time)
  }

  /// Finds the zone and database channels that the change of a zone fires.
  ///
  /// - Parameters:
  ///   - database: The zone's database.
  ///   - zone: The zone.
  ///   - recordTypes: The types of the records that were created, changed or deleted.
  ///   - isZoneItself: The zone was created or deleted: channels without a record type fire even if
  ///     no record changed.
  /// - Returns: In the order of their numbers.
  func zoneChannels(
    of database: DatabaseEntry,
    zone: ZoneID,
    recordTypes: Set<String>,
    isZoneItself: Bool
  ) -> [ChannelEntry] {
    zones.match(
      database: database.number,
      zone: zone,
      recordTypes: recordTypes,
      isZoneItself: isZoneItself,
      at: time
    ).compactMap { entries[$0] }
  }
}

extension ChannelEntry {
  fileprivate convenience init(_ row: ChannelTable.Watched, _ kind: Subscription.Kind) {
    self.init(
      number: row.number,
      databaseNumber: row.databaseNumber,
      kind: kind,
      head: row.head,
      members: row.members,
      watchBytes: row.watchBytes
    )
  }
}
