internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

/// A channel: all subscriptions that always fire together with the same content.
final class ChannelEntry {
  let number: Int64
  let database: DatabaseEntry
  /// The topic of its pushes, 16 random bytes.
  var topic: [UInt8]
  /// What its subscriptions ask for; their ids differ.
  let definition: Subscription
  /// The number of its newest event.
  fileprivate(set) var head: Int64
  fileprivate(set) var isDirty = false

  init(
    number: Int64,
    database: DatabaseEntry,
    topic: [UInt8],
    definition: Subscription,
    head: Int64
  ) {
    self.number = number
    self.database = database
    self.topic = topic
    self.definition = definition
    self.head = head
  }
}

/// The channels that have subscribers, and the index that finds those that a change fires.
final class ChannelRegistry {
  private let catalog: Catalog
  private let codec: any BodyCodec
  private var entries: [Int64: ChannelEntry] = [:]
  private var index = ChannelIndex()
  private var zoneNumbers: [ZoneID: Int64] = [:]
  private var dirty: [ChannelEntry] = []

  private let selectWatched: any SQLStatement
  private let selectByKey: any SQLStatement
  private let selectHead: any SQLStatement
  private let insert: any SQLStatement
  private let updateHead: any SQLStatement

  init(_ connection: any SQLConnection, catalog: Catalog, codec: any BodyCodec) throws {
    self.catalog = catalog
    self.codec = codec
    selectWatched = try connection.prepare(
      """
      SELECT c.id, c.database_id, c.topic, c.head, min(s.body)
      FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.ended IS NULL
      GROUP BY c.id, c.database_id, c.topic, c.head
      """
    )
    selectByKey = try connection.prepare(
      "SELECT id, topic, head FROM channels WHERE definition_key = ?1"
    )
    selectHead = try connection.prepare("SELECT head FROM channels WHERE id = ?1")
    insert = try connection.prepare(
      """
      INSERT INTO channels (database_id, definition_key, topic, head)
      VALUES (?1, ?2, ?3, 0) RETURNING id
      """
    )
    updateHead = try connection.prepare("UPDATE channels SET head = ?2 WHERE id = ?1")
    try load()
  }

  /// How many channels have subscribers.
  var count: Int { entries.count }

  /// Reads the channels that have subscribers, anew.
  ///
  /// When that fails, nothing is watched: call again
  /// before anything is written.
  func load() throws {
    entries = [:]
    index = ChannelIndex()
    dirty = []
    try selectWatched.forEachRow {
      let database = try catalog.database(numbered: selectWatched.int64(1))
      var definition: Subscription?
      try selectWatched.withBytes(4) { definition = try codec.decodeSubscription($0) }
      guard let definition else { return }
      watch(
        ChannelEntry(
          number: selectWatched.int64(0),
          database: database,
          topic: selectWatched.bytes(2),
          definition: definition,
          head: selectWatched.int64(3)
        )
      )
    }
  }

  /// The channel of a subscription, created if needed; it is watched from now on.
  func join(_ subscription: Subscription, in database: DatabaseEntry) throws -> ChannelEntry {
    var definition = subscription
    definition.subscriptionID = ""
    let key = Self.definitionKey(codec.encode(definition), in: database)

    selectByKey.bind(key, at: 1)
    defer { selectByKey.reset() }
    if try selectByKey.step() {
      let number = selectByKey.int64(0)
      if let entry = entries[number] { return entry }
      let entry = ChannelEntry(
        number: number,
        database: database,
        topic: selectByKey.bytes(1),
        definition: definition,
        head: selectByKey.int64(2)
      )
      watch(entry)
      return entry
    }
    let topic = Cryptography.randomBytes(16)
    insert.bind(database.number, at: 1)
    insert.bind(key, at: 2)
    insert.bind(topic, at: 3)
    defer { insert.reset() }
    _ = try insert.step()
    let entry = ChannelEntry(
      number: insert.int64(0),
      database: database,
      topic: topic,
      definition: definition,
      head: 0
    )
    watch(entry)
    return entry
  }

  /// The last subscriber left: changes no longer fire the channel.
  ///
  /// Its events stay.
  func unwatch(_ channel: Int64) throws {
    guard let entry = entries.removeValue(forKey: channel) else { return }
    _ = index.remove(channel: channel)
    try writeHead(entry)
  }

  /// The channel with a number, if it has subscribers.
  func entry(_ channel: Int64) -> ChannelEntry? { entries[channel] }

  /// The number of a channel's newest event.
  func head(_ channel: Int64) throws(SQLError) -> Int64 {
    if let entry = entries[channel] { return entry.head }
    selectHead.bind(channel, at: 1)
    defer { selectHead.reset() }
    return try selectHead.step() ? selectHead.int64(0) : 0
  }

  /// A change to a record of this type may fire a channel.
  func watches(_ recordType: String, in database: DatabaseEntry) -> Bool {
    index.watches(database: database.number, recordType: recordType)
  }

  /// Finds the channels that a change fires.
  func match(
    old: Record?,
    new: Record?,
    zone: ZoneID,
    in database: DatabaseEntry,
    into firings: inout [Firing]
  ) {
    index.match(
      database: database.number,
      zone: zoneNumbers[zone] ?? 0,
      old: old,
      new: new,
      into: &firings
    )
  }

  /// Takes the next number of a channel, for one event.
  func advance(_ entry: ChannelEntry) -> Int64 {
    if !entry.isDirty {
      entry.isDirty = true
      dirty.append(entry)
    }
    entry.head += 1
    return entry.head
  }

  /// Writes the heads that moved in this transaction.
  func writeHeads() throws(SQLError) {
    for entry in dirty { try writeHead(entry) }
    dirty.removeAll(keepingCapacity: true)
  }

  private func writeHead(_ entry: ChannelEntry) throws(SQLError) {
    guard entry.isDirty else { return }
    entry.isDirty = false
    updateHead.bind(entry.number, at: 1)
    updateHead.bind(entry.head, at: 2)
    try updateHead.run()
  }

  private func watch(_ entry: ChannelEntry) {
    entries[entry.number] = entry
    let zone = entry.definition.zoneID.map { zone in
      zoneNumbers[zone]
        ?? {
          zoneNumbers[zone] = Int64(zoneNumbers.count + 1)
          return Int64(zoneNumbers.count)
        }()
    }
    index.insert(
      WatchedChannel(
        channel: entry.number,
        database: entry.database.number,
        recordType: entry.definition.recordType,
        zone: zone,
        predicate: entry.definition.predicate,
        options: entry.definition.options
      )
    )
  }

  /// Equal for subscriptions that always fire together: same database, same definition.
  private static func definitionKey(_ definition: [UInt8], in database: DatabaseEntry) -> [UInt8] {
    var message = definition
    withUnsafeBytes(of: database.number.bigEndian) { message += $0 }
    return Cryptography.hash(message, bytes: 32)
  }
}
