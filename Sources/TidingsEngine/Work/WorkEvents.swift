internal import TidingsModel
internal import TidingsSQL

/// Reads the events that a group works on.
final class WorkEvents {
  private let bodies: EventBodies
  private let selectNext: any SQLStatement
  private let selectBody: any SQLStatement
  private let selectNextMark: any SQLStatement

  init(_ connection: any SQLConnection, bodies: EventBodies) throws {
    self.bodies = bodies
    selectNext = try connection.prepare(
      """
      SELECT sequence, id,
        CASE WHEN origin_device = ?5 AND origin_user = ?6 THEN 1 ELSE 0 END
      FROM events
      WHERE channel_id = ?1 AND sequence >= ?2 AND sequence <= ?3
        AND (?7 IS NULL OR creator = ?7)
      ORDER BY sequence LIMIT ?4
      """
    )
    selectBody = try connection.prepare(
      """
      SELECT body, CASE WHEN origin_device = ?3 AND origin_user = ?4 THEN 1 ELSE 0 END, creator,
        content
      FROM events WHERE channel_id = ?1 AND sequence = ?2
      """
    )
    selectNextMark = try connection.prepare(
      """
      SELECT sequence FROM read_marks
      WHERE owner = ?1 AND channel_id = ?2 AND sequence >= ?3 ORDER BY sequence LIMIT 1
      """
    )
  }

  /// Who asks: bound values stay.
  func begin(for caller: Caller) {
    // Null equals nothing: without a device no event is the caller's own.
    let device = caller.device.isEmpty ? nil : caller.device
    selectNext.bind(device, at: 5)
    selectNext.bind(caller.user, at: 6)
    selectBody.bind(device, at: 3)
    selectBody.bind(caller.user, at: 4)
    selectNextMark.bind(caller.user, at: 1)
  }

  /// Reads on in a channel.
  func refill(_ cursor: inout WorkCursor) throws {
    let channel = cursor.channel
    selectNext.bind(cursor.creator, at: 7)
    try cursor.refill { numbers, rows in
      var events: [WorkCursor.Event] = []
      selectNext.bind(channel, at: 1)
      selectNext.bind(numbers.lowerBound, at: 2)
      selectNext.bind(numbers.upperBound, at: 3)
      selectNext.bind(Int64(rows), at: 4)
      try selectNext.forEachRow {
        events.append(
          WorkCursor.Event(
            sequence: selectNext.int64(0),
            id: selectNext.int64(1),
            isOwn: selectNext.int64(2) != 0
          )
        )
      }
      return events
    }
  }

  /// The encoded notification, whether the caller caused it, and who created its record, empty if that
  /// is not known; `nil`: it is no longer kept.
  func body(
    of id: NotificationID
  ) throws -> (bytes: [UInt8], isOwn: Bool, creator: String)? {
    selectBody.bind(id.channel, at: 1)
    selectBody.bind(id.sequence, at: 2)
    defer { selectBody.reset() }
    guard try selectBody.step() else { return nil }
    let body = try bodies.body(
      selectBody.bytes(0),
      of: id.channel,
      content: selectBody.int64(3)
    )
    return (body, selectBody.int64(1) != 0, selectBody.string(2))
  }

  /// The first number of a channel, from one on, that the caller marked read; `.max`: none.
  func nextMark(in channel: Int64, from sequence: Int64) throws(SQLError) -> Int64 {
    selectNextMark.bind(channel, at: 2)
    selectNextMark.bind(sequence, at: 3)
    defer { selectNextMark.reset() }
    return try selectNextMark.step() ? selectNextMark.int64(0) : .max
  }
}
