internal import TidingsModel
internal import TidingsSQL

/// What hangs on an event and goes with it: read marks, fetches, leases, and subscriptions whose last
/// event it is.
final class EventTrails {
  private let usage: UsageTable
  private let selectMarks: any SQLStatement
  private let deleteMark: any SQLStatement
  private let selectFetches: any SQLStatement
  private let deleteFetch: any SQLStatement
  private let selectLeases: any SQLStatement
  private let deleteLease: any SQLStatement
  private let ended: EndedSubscriptions

  init(
    _ connection: any SQLConnection,
    ended: EndedSubscriptions,
    usage: UsageTable
  ) throws {
    (self.ended, self.usage) = (ended, usage)
    // The newest mark stays, so that no number is assigned twice.
    selectMarks = try connection.prepare(
      """
      SELECT id FROM read_marks
      WHERE channel_id = ?1 AND sequence = ?2 AND id < (SELECT max(id) FROM read_marks) LIMIT ?3
      """
    )
    deleteMark = try connection.prepare("DELETE FROM read_marks WHERE id = ?1")
    selectFetches = try connection.prepare(
      "SELECT owner, device FROM fetches WHERE channel_id = ?1 AND sequence = ?2 LIMIT ?3"
    )
    deleteFetch = try connection.prepare(
      """
      DELETE FROM fetches
      WHERE channel_id = ?1 AND sequence = ?2 AND owner = ?3 AND device = ?4
      """
    )
    selectLeases = try connection.prepare(
      "SELECT group_id FROM work_leases WHERE channel_id = ?1 AND sequence = ?2 LIMIT ?3"
    )
    deleteLease = try connection.prepare(
      "DELETE FROM work_leases WHERE channel_id = ?1 AND sequence = ?2 AND group_id = ?3"
    )
  }

  /// Removes what hangs on an event.
  ///
  /// - Parameters:
  ///   - id: The event.
  ///   - location: Its place among the events of all channels.
  ///   - max: Most rows.
  /// - Returns: How many rows; `max`: there may be more.
  /// - Throws: `SQLError`.
  func remove(_ id: NotificationID, at location: Int64, rowsMax max: Int) throws -> Int {
    let marks = try numbers(selectMarks, id, max)
    for mark in marks {
      deleteMark.bind(mark, at: 1)
      try deleteMark.run()
    }
    let groups = try numbers(selectLeases, id, max - marks.count)
    for group in groups {
      Self.bind(id, group, to: deleteLease)
      try deleteLease.run()
    }
    var count = marks.count + groups.count
    count += try removeFetches(id, max - count)
    return try count + ended.remove(endedWith: id, at: location, rowsMax: max - count)
  }

  private func numbers(
    _ select: any SQLStatement,
    _ id: NotificationID,
    _ max: Int
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    Self.bind(id, Int64(max), to: select)
    try select.forEachRow { numbers.append(select.int64(0)) }
    return numbers
  }

  private func removeFetches(_ id: NotificationID, _ max: Int) throws -> Int {
    var devices: [(owner: String, device: String)] = []
    Self.bind(id, Int64(max), to: selectFetches)
    try selectFetches.forEachRow {
      devices.append((selectFetches.string(0), selectFetches.string(1)))
    }
    for (owner, device) in devices {
      deleteFetch.bind(id.channel, at: 1)
      deleteFetch.bind(id.sequence, at: 2)
      deleteFetch.bind(owner, at: 3)
      deleteFetch.bind(device, at: 4)
      try deleteFetch.run()
      try usage.add(-StorageCost.trace(device: device.utf8.count), to: owner)
    }
    return devices.count
  }

  private static func bind(
    _ id: NotificationID,
    _ third: Int64,
    to statement: any SQLStatement
  ) {
    statement.bind(id.channel, at: 1)
    statement.bind(id.sequence, at: 2)
    statement.bind(third, at: 3)
  }
}
