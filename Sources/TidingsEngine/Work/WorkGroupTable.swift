internal import TidingsModel
internal import TidingsSQL

/// The groups of users, and up to where each has got the events of each channel.
final class WorkGroupTable {
  private let select: any SQLStatement
  private let count: any SQLStatement
  private let insert: any SQLStatement
  private let selectPositions: any SQLStatement
  private let setPosition: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      """
      SELECT id FROM work_groups
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND name = ?4
      """
    )
    count = try connection.prepare(
      """
      SELECT count(*) FROM work_groups
      WHERE owner = ?1 AND container = ?2 AND environment = ?3
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO work_groups (owner, container, environment, name)
      VALUES (?1, ?2, ?3, ?4) RETURNING id
      """
    )
    selectPositions = try connection.prepare(
      "SELECT channel_id, sequence FROM work_positions WHERE group_id = ?1"
    )
    setPosition = try connection.prepare(
      """
      INSERT INTO work_positions (group_id, channel_id, sequence) VALUES (?1, ?2, ?3)
      ON CONFLICT (group_id, channel_id) DO UPDATE SET sequence = excluded.sequence
      """
    )
  }

  /// The number of a group; `nil` when it does not exist.
  func number(of name: String, in inbox: Inbox) throws(SQLError) -> Int64? {
    inbox.bind(to: select)
    select.bind(name, at: 4)
    defer { select.reset() }
    return try select.step() ? select.int64(0) : nil
  }

  /// How many groups a user has in a container.
  func count(in inbox: Inbox) throws(SQLError) -> Int64 {
    inbox.bind(to: count)
    defer { count.reset() }
    return try count.step() ? count.int64(0) : 0
  }

  /// Makes a group that does not exist.
  func make(_ name: String, in inbox: Inbox) throws(SQLError) -> Int64 {
    inbox.bind(to: insert)
    insert.bind(name, at: 4)
    defer { insert.reset() }
    _ = try insert.step()
    return insert.int64(0)
  }

  /// The last number of each channel that a group has got.
  func positions(of group: Int64, pace: Pace) throws -> [Int64: Int64] {
    var positions: [Int64: Int64] = [:]
    selectPositions.bind(group, at: 1)
    try selectPositions.forEachRow {
      positions[selectPositions.int64(0)] = selectPositions.int64(1)
      try pace.decisionStep()
    }
    return positions
  }

  /// A group has got the events of a channel up to a number.
  func setPosition(_ sequence: Int64, in channel: Int64, of group: Int64) throws(SQLError) {
    setPosition.bind(group, at: 1)
    setPosition.bind(channel, at: 2)
    setPosition.bind(sequence, at: 3)
    try setPosition.run()
  }
}
