internal import TidingsCodec
internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

/// The channels that have subscribers, and the index that finds those that a change fires.
final class ChannelRegistry: TransactionParticipant {
  /// What is being measured; `nil`: nothing is.
  var matchingTime: MatchingTime?
  /// Bytes of the contents of channels that are kept in memory, about.
  private static let contentBytesMax = 64 << 20
  /// Channels whose watch is made in one transaction, when it is missing.
  private static let fillCount = 1_000

  private let connection: any SQLConnection
  private let table: ChannelTable
  private let catalog: Catalog
  private let codec: BodyCodec
  private let pace: Pace
  private var entries = ChannelMap<ChannelEntry>()
  /// The only readers of channels, for those that not every user may read.
  private var readers: [Int64: String] = [:]
  private let index = ChannelIndex()
  private var zones = WatchedZones()
  private var contents = ChannelContents(bytesMax: contentBytesMax)
  /// Numbers of the zones that query channels name, for the index.
  private var zoneNumbers = ZoneNumbers()
  /// What this transaction changed.
  private var touched: [ChannelEntry] = []
  /// Those of transactions that are prepared and not yet durable, oldest first.
  private var underWay: [[ChannelEntry]] = []
  private var time = Timestamp(millisecondsSince1970: 0)

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    codec: BodyCodec,
    pace: Pace
  ) throws {
    self.pace = pace
    self.connection = connection
    self.catalog = catalog
    self.codec = codec
    table = try ChannelTable(connection)
    try load()
  }

  /// How many channels have subscribers.
  var count: Int { entries.count }

  // MARK: Subscribers

  /// The number of the channel of a subscription, if there is one.
  func number(
    of subscription: Subscription,
    in database: DatabaseEntry,
    for reader: String?
  ) throws -> Int64? {
    try table.channel(key: definition(of: subscription, in: database, for: reader).key)?.number
  }

  /// The channel of a subscription, created if needed, with one more subscriber.
  ///
  /// - Parameters:
  ///   - subscription: The subscription.
  ///   - database: Its database.
  ///   - reader: The only user who may read the channel; `nil`: everyone may.
  /// - Returns: The channel.
  /// - Throws: `SQLError`.
  func join(
    _ subscription: Subscription,
    in database: DatabaseEntry,
    for reader: String?
  ) throws -> ChannelEntry {
    let (definition, body, key) = definition(of: subscription, in: database, for: reader)
    let found =
      try table.channel(key: key)
      ?? table.insert(
        key: key,
        topic: Topic.random(),
        databaseNumber: database.number,
        reader: reader
      )
    if let entry = entries[found.number] {
      try change(entry, members: entry.members + 1)
      return entry
    }
    let watch = ChannelWatch(definition)
    try table.write(watch, definition: body, of: found.number)
    let entry = ChannelEntry(
      number: found.number,
      databaseNumber: database.number,
      kind: watch.kind,
      head: found.head,
      members: 0
    )
    insert(entry, watch, reader)
    try change(entry, members: 1)
    return entry
  }

  /// A subscriber left; after the last one, changes no longer fire the channel.
  func leave(_ channel: Int64) throws {
    guard let entry = entries[channel] else { return }
    guard entry.members > 1 else { return try unwatch(channel) }
    try change(entry, members: entry.members - 1)
  }

  /// All subscribers left: changes no longer fire the channel.
  ///
  /// Its events stay.
  func unwatch(_ channel: Int64) throws {
    guard let entry = entries[channel] else { return }
    try change(entry, members: 0)
    try writeHead(entry)
    remove(entry)
  }

  /// From now on another channel stands for what this one watches: nobody joins it any more.
  func retireKey(of channel: Int64) throws(SQLError) {
    try table.write(key: Cryptography.randomBytes(32), of: channel)
  }

  private func change(_ entry: ChannelEntry, members: Int64) throws(SQLError) {
    touch(entry)
    entry.members = members
    try table.write(members: members, of: entry.number)
  }

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

  /// The number of a channel's newest event.
  func head(_ channel: Int64) throws(SQLError) -> Int64 {
    if let entry = entries[channel] { return entry.head }
    return try table.head(channel)
  }

  /// What the events of a channel are made of.
  func content(of entry: ChannelEntry) throws -> ChannelContent {
    if let known = contents.content(entry.number) { return known }
    let stored = try table.content(entry.number)
    let database = try catalog.database(numbered: entry.databaseNumber)
    var definition = try stored.definition.withUnsafeBytes { try codec.decodeSubscription($0) }
    // No event is made of it, and the index has it.
    definition.predicate = .true
    let source = EventSource(of: definition, in: database.id)
    let content = ChannelContent(
      database: database,
      topic: stored.topic,
      definition: definition,
      source: codec.encode(source)
    )
    contents.keep(content, of: entry.number, bytes: stored.definition.count)
    return content
  }

  /// The topic or the definition of a channel was written.
  func forgetContent(of channel: Int64) { contents.forget(channel) }

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

  /// Takes the next number of a channel, for one event.
  func advance(_ entry: ChannelEntry) -> Int64 {
    touch(entry)
    entry.isDirty = true
    entry.head += 1
    return entry.head
  }

  // MARK: Transactions

  func begin(at moment: Moment) {
    time = moment.timeOfDay
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    for entry in touched {
      try writeHead(entry)
      pace.step()
    }
    for entry in touched { entry.isTouched = false }
    underWay.append(touched)
    touched.removeAll()
  }

  func didCommit() { underWay.removeFirst() }

  func didRollback() {
    for entry in underWay.joined() { touch(entry) }
    underWay.removeAll()
  }

  func forgetEntries() { contents.forgetAll() }

  func reload() throws {
    contents.forgetAll()
    while let entry = touched.last {
      try restore(entry)
      touched.removeLast()
    }
  }

  private func restore(_ changed: ChannelEntry) throws {
    changed.isTouched = false
    guard let (row, watch) = try table.watched(changed.number) else {
      if let entry = entries[changed.number] { remove(entry) }
      return
    }
    guard let entry = entries[row.number] else {
      return insert(row, try watch ?? ChannelWatch(storedDefinition(row.number)))
    }
    entry.head = row.head
    entry.members = row.members
    entry.isDirty = false
  }

  private func writeHead(_ entry: ChannelEntry) throws(SQLError) {
    guard entry.isDirty else { return }
    try table.write(head: entry.head, of: entry.number)
    entry.isDirty = false
  }

  private func touch(_ entry: ChannelEntry) {
    guard !entry.isTouched else { return }
    entry.isTouched = true
    touched.append(entry)
  }
}

// Memory and the store.
extension ChannelRegistry {
  /// Reads the channels that have subscribers.
  private func load() throws {
    let count = try table.watchedCount()
    entries.reserveCapacity(count)
    index.reserveCapacity(count)
    var unfinished: [ChannelTable.Watched] = []
    try table.forEachWatched { row, bytes in
      if let watch = ConjunctionWatch(bytes) {
        insert(row, watch)
      } else if let watch = ChannelWatch(bytes) {
        insert(row, watch)
      } else {
        unfinished.append(row)
      }
    }
    for start in stride(from: 0, to: unfinished.count, by: Self.fillCount) {
      try finish(unfinished[start..<min(start + Self.fillCount, unfinished.count)])
    }
  }

  /// Makes what the index wants of channels that were written by another version.
  private func finish(_ rows: ArraySlice<ChannelTable.Watched>) throws {
    try connection.execute("BEGIN")
    do {
      for row in rows {
        let definition = try storedDefinition(row.number)
        let watch = ChannelWatch(definition)
        try table.write(watch, definition: codec.encode(definition), of: row.number)
        insert(row, watch)
      }
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private func storedDefinition(_ channel: Int64) throws -> Subscription {
    let stored = try table.content(channel).definition
    var definition = try stored.withUnsafeBytes { try codec.decodeSubscription($0) }
    definition.subscriptionID = ""
    return definition
  }

  private func insert(_ row: ChannelTable.Watched, _ watch: ConjunctionWatch) {
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

  private func insert(_ row: ChannelTable.Watched, _ watch: ChannelWatch) {
    insert(ChannelEntry(row, watch.kind), watch, row.reader)
  }

  private func enter(_ entry: ChannelEntry, _ reader: String?) {
    entries[entry.number] = entry
    if let reader { readers[entry.number] = reader }
  }

  private func insert(_ entry: ChannelEntry, _ watch: ChannelWatch, _ reader: String?) {
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

  private func remove(_ entry: ChannelEntry) {
    entries[entry.number] = nil
    readers[entry.number] = nil
    contents.forget(entry.number)
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

  /// A subscription without its name, its bytes, and the key of its channel: equal for subscriptions
  /// that always fire together.
  private func definition(
    of subscription: Subscription,
    in database: DatabaseEntry,
    for reader: String?
  ) -> (definition: Subscription, body: [UInt8], key: [UInt8]) {
    var definition = subscription
    definition.subscriptionID = ""
    let body = codec.encode(definition)
    var message = body
    withUnsafeBytes(of: database.number.bigEndian) { message += $0 }
    if let reader {
      // A name has printable characters only: no definition goes on like this.
      message.append(0)
      message += reader.utf8
    }
    return (definition, body, Cryptography.hash(message, bytes: 32))
  }
}

extension ChannelEntry {
  fileprivate convenience init(_ row: ChannelTable.Watched, _ kind: Subscription.Kind) {
    self.init(
      number: row.number,
      databaseNumber: row.databaseNumber,
      kind: kind,
      head: row.head,
      members: row.members
    )
  }
}
