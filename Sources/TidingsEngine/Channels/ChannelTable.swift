internal import TidingsModel
internal import TidingsSQL

/// The rows of channels.
final class ChannelTable {
  /// What there is to know of a channel that has subscribers.
  struct Watched {
    var number: Int64
    var databaseNumber: Int64
    var head: Int64
    var members: Int64
    /// The only reader; `nil`: everyone may read it.
    var reader: String?
    /// The bytes of its `ChannelWatch`.
    var watchBytes: Int
  }

  /// A channel that may have no subscribers.
  struct Found {
    var number: Int64
    var head: Int64
  }

  private let selectWatched: any SQLStatement
  private let countWatched: any SQLStatement
  private let selectOneWatched: any SQLStatement
  private let selectByKey: any SQLStatement
  private let selectHead: any SQLStatement
  private let selectContent: any SQLStatement
  private let insert: any SQLStatement
  private let updateDefinition: any SQLStatement
  private let updateKey: any SQLStatement
  private let updateHead: any SQLStatement
  private let updateMembers: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    let columns =
      "SELECT id, database_id, head, members, watch, reader FROM channels WHERE members > 0"
    selectWatched = try connection.prepare(
      columns + " AND id > ?1 ORDER BY id",
      inPagesBy: PageKey(.integer(1, column: 0))
    )
    selectWatched.bind(0, at: 1)
    selectOneWatched = try connection.prepare(columns + " AND id = ?1")
    countWatched = try connection.prepare("SELECT count(*) FROM channels WHERE members > 0")
    selectByKey = try connection.prepare(
      "SELECT id, head FROM channels WHERE definition_key = ?1"
    )
    selectHead = try connection.prepare("SELECT head FROM channels WHERE id = ?1")
    selectContent = try connection.prepare(
      "SELECT topic, definition FROM channels WHERE id = ?1"
    )
    insert = try connection.prepare(
      """
      INSERT INTO channels (database_id, definition_key, topic, reader, head)
      VALUES (?1, ?2, ?3, ?4, 0) RETURNING id
      """
    )
    updateDefinition = try connection.prepare(
      "UPDATE channels SET kind = ?2, definition = ?3, watch = ?4 WHERE id = ?1"
    )
    updateKey = try connection.prepare("UPDATE channels SET definition_key = ?2 WHERE id = ?1")
    updateHead = try connection.prepare("UPDATE channels SET head = ?2 WHERE id = ?1")
    updateMembers = try connection.prepare("UPDATE channels SET members = ?2 WHERE id = ?1")
  }

  /// How many channels have subscribers.
  func watchedCount() throws(SQLError) -> Int {
    defer { countWatched.reset() }
    return try countWatched.step() ? Int(countWatched.int64(0)) : 0
  }

  /// Calls `body` for each channel that has subscribers, with the bytes of its `ChannelWatch`, which are
  /// missing or of another version for some.
  func forEachWatched(_ body: (Watched, UnsafeRawBufferPointer) throws -> Void) throws {
    defer { selectWatched.reset() }
    while try selectWatched.step() {
      let channel = Self.watched(selectWatched)
      try selectWatched.withBytes(4) { try body(channel, $0) }
    }
  }

  /// A channel and its watch, if it has subscribers.
  func watched(_ channel: Int64) throws(SQLError) -> (channel: Watched, watch: ChannelWatch?)? {
    selectOneWatched.bind(channel, at: 1)
    defer { selectOneWatched.reset() }
    guard try selectOneWatched.step() else { return nil }
    var watch: ChannelWatch?
    selectOneWatched.withBytes(4) { watch = ChannelWatch($0) }
    return (Self.watched(selectOneWatched), watch)
  }

  private static func watched(_ row: any SQLStatement) -> Watched {
    let reader = row.string(5)
    var watchBytes = 0
    row.withBytes(4) { watchBytes = $0.count }
    return Watched(
      number: row.int64(0),
      databaseNumber: row.int64(1),
      head: row.int64(2),
      members: row.int64(3),
      reader: reader.isEmpty ? nil : reader,
      watchBytes: watchBytes
    )
  }

  /// The channel of a definition.
  func channel(key: [UInt8]) throws(SQLError) -> Found? {
    selectByKey.bind(key, at: 1)
    defer { selectByKey.reset() }
    guard try selectByKey.step() else { return nil }
    return Found(number: selectByKey.int64(0), head: selectByKey.int64(1))
  }

  /// The number of a channel's newest event; 0 for one that does not exist.
  func head(_ channel: Int64) throws(SQLError) -> Int64 {
    selectHead.bind(channel, at: 1)
    defer { selectHead.reset() }
    return try selectHead.step() ? selectHead.int64(0) : 0
  }

  /// The topic and the definition of a channel, as stored.
  func content(_ channel: Int64) throws(SQLError) -> (topic: [UInt8], definition: [UInt8]) {
    selectContent.bind(channel, at: 1)
    defer { selectContent.reset() }
    guard try selectContent.step(), !selectContent.isNull(1) else {
      throw SQLError(.damaged, "the definition of the channel \(channel) is missing")
    }
    return (selectContent.bytes(0), selectContent.bytes(1))
  }

  /// Writes a new channel, without events and subscribers.
  func insert(
    key: [UInt8],
    topic: [UInt8],
    databaseNumber: Int64,
    reader: String?
  ) throws(SQLError) -> Found {
    insert.bind(databaseNumber, at: 1)
    insert.bind(key, at: 2)
    insert.bind(topic, at: 3)
    insert.bind(reader ?? "", at: 4)
    defer { insert.reset() }
    _ = try insert.step()
    return Found(number: insert.int64(0), head: 0)
  }

  /// Writes by what a channel is found.
  func write(key: [UInt8], of channel: Int64) throws(SQLError) {
    updateKey.bind(channel, at: 1)
    updateKey.bind(key, at: 2)
    try updateKey.run()
  }

  /// Writes what a channel is about.
  func write(_ watch: ChannelWatch, definition: [UInt8], of channel: Int64) throws(SQLError) {
    updateDefinition.bind(channel, at: 1)
    updateDefinition.bind(Int64(watch.kind.rawValue), at: 2)
    updateDefinition.bind(definition, at: 3)
    updateDefinition.bind(watch.bytes, at: 4)
    try updateDefinition.run()
  }

  func write(head: Int64, of channel: Int64) throws(SQLError) {
    updateHead.bind(channel, at: 1)
    updateHead.bind(head, at: 2)
    try updateHead.run()
  }

  func write(members: Int64, of channel: Int64) throws(SQLError) {
    updateMembers.bind(channel, at: 1)
    updateMembers.bind(members, at: 2)
    try updateMembers.run()
  }
}
