internal import TidingsCodec
internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// The channels and their subscribers, as they are stored and in memory.
final class ChannelRegistry: TransactionParticipant {
  /// Those that have subscribers.
  let watched = WatchedChannels()
  /// Channels whose watch is made in one transaction, when it is missing.
  private static let fillCount = 1_000

  private let connection: any SQLConnection
  private let table: ChannelTable
  private let catalog: Catalog
  private let codec: BodyCodec
  private let pace: Pace
  private var contents: ChannelContents
  /// What this transaction changed.
  private var touched: [ChannelEntry] = []
  /// Those of transactions that are prepared and not yet durable, oldest first.
  private var underWay: [[ChannelEntry]] = []

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    codec: BodyCodec,
    pace: Pace,
    memory: MemoryShares
  ) throws {
    self.pace = pace
    contents = ChannelContents(bytesMax: memory[.channelContents])
    self.connection = connection
    self.catalog = catalog
    self.codec = codec
    table = try ChannelTable(connection)
    try load()
  }

  // MARK: Subscribers

  /// The number of the channel of a subscription, if there is one.
  func number(
    of subscription: Subscription,
    in database: DatabaseEntry,
    for reader: String?
  ) throws -> Int64? {
    let definition = ChannelDefinition(of: subscription, in: database, for: reader, codec)
    return try table.channel(key: definition.key)?.number
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
    let definition = ChannelDefinition(of: subscription, in: database, for: reader, codec)
    let found =
      try table.channel(key: definition.key)
      ?? table.insert(
        key: definition.key,
        topic: Topic.random(),
        databaseNumber: database.number,
        reader: reader
      )
    if let entry = watched.entry(found.number) {
      try change(entry, members: entry.members + 1)
      return entry
    }
    let watch = ChannelWatch(definition.subscription)
    try table.write(watch, definition: definition.body, of: found.number)
    let entry = ChannelEntry(
      number: found.number,
      databaseNumber: database.number,
      kind: watch.kind,
      head: found.head,
      members: 0,
      watchBytes: watch.bytes.count
    )
    watched.insert(entry, watch, reader)
    try change(entry, members: 1)
    return entry
  }

  /// A subscriber left; after the last one, changes no longer fire the channel.
  func leave(_ channel: Int64) throws {
    guard let entry = watched.entry(channel) else { return }
    guard entry.members > 1 else { return try unwatch(channel) }
    try change(entry, members: entry.members - 1)
  }

  /// All subscribers left: changes no longer fire the channel.
  ///
  /// Its events stay.
  func unwatch(_ channel: Int64) throws {
    guard let entry = watched.entry(channel) else { return }
    try change(entry, members: 0)
    try writeHead(entry)
    remove(entry)
  }

  private func remove(_ entry: ChannelEntry) {
    watched.remove(entry)
    contents.forget(entry.number)
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

  /// The number of a channel's newest event.
  func head(_ channel: Int64) throws(SQLError) -> Int64 {
    if let entry = watched.entry(channel) { return entry.head }
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

  /// Takes the next number of a channel, for one event.
  func advance(_ entry: ChannelEntry) -> Int64 {
    touch(entry)
    entry.isDirty = true
    entry.head += 1
    return entry.head
  }

  // MARK: Transactions

  func begin(at moment: Moment) { watched.begin(at: moment) }

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
      if let entry = watched.entry(changed.number) { remove(entry) }
      return
    }
    guard let entry = watched.entry(row.number) else {
      return watched.insert(row, try watch ?? ChannelWatch(storedDefinition(row.number)))
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
    watched.reserveCapacity(try table.watchedCount())
    var unfinished: [ChannelTable.Watched] = []
    try table.forEachWatched { row, bytes in
      if let watch = ConjunctionWatch(bytes) {
        watched.insert(row, watch)
      } else if let watch = ChannelWatch(bytes) {
        watched.insert(row, watch)
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
        watched.insert(row, watch)
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
}
