internal import TidingsModel
internal import TidingsSQL

/// Returns what a user has read, for one page at a time.
final class ReadMarkReader {
  private let selectNext: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectAfter: any SQLStatement
  /// Of each channel the first marked number from the one that was asked for last.
  private var nextMarks: [Int64: Int64] = [:]

  init(_ connection: any SQLConnection) throws {
    selectNext = try connection.prepare(
      """
      SELECT sequence FROM read_marks
      WHERE owner = ?1 AND channel_id = ?2 AND sequence >= ?3 ORDER BY sequence LIMIT 1
      """
    )
    selectNewest = try connection.prepare(
      """
      SELECT id FROM read_marks
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 ORDER BY id DESC LIMIT 1
      """
    )
    selectAfter = try connection.prepare(
      """
      SELECT id, channel_id, sequence, device FROM read_marks
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND id > ?4 ORDER BY id LIMIT ?5
      """
    )
  }

  /// Begins a page of a user: forgets what the last one looked up.
  func begin(_ inbox: Inbox) {
    nextMarks.removeAll(keepingCapacity: true)
    selectNext.bind(inbox.user, at: 1)
    inbox.bind(to: selectNewest)
    inbox.bind(to: selectAfter)
  }

  /// A notification is marked read.
  ///
  /// Those of one channel are asked for in the order of their numbers: a channel without marks is
  /// looked at once.
  func isRead(_ id: NotificationID) throws(SQLError) -> Bool {
    if let mark = nextMarks[id.channel], mark >= id.sequence { return mark == id.sequence }
    selectNext.bind(id.channel, at: 2)
    selectNext.bind(id.sequence, at: 3)
    defer { selectNext.reset() }
    let mark = try selectNext.step() ? selectNext.int64(0) : .max
    nextMarks[id.channel] = mark
    return mark == id.sequence
  }

  /// The number of the user's newest mark; 0: there is none.
  func newest() throws(SQLError) -> Int64 {
    defer { selectNewest.reset() }
    return try selectNewest.step() ? selectNewest.int64(0) : 0
  }

  /// Reads the marks after a number that other devices made.
  ///
  /// - Parameters:
  ///   - position: The number; becomes that of the last mark that was looked at.
  ///   - device: The device that asks; empty: it gave no name.
  ///   - itemsMax: Most marks.
  ///   - rowsMax: Most rows to look at.
  /// - Returns: What was read, oldest first, and whether there may be more.
  /// - Throws: `SQLError`.
  func marks(
    after position: inout Int64,
    for device: String,
    itemsMax: Int,
    rowsMax: Int
  ) throws -> (ids: [NotificationID], moreComing: Bool) {
    var ids: [NotificationID] = []
    var rows = 0
    selectAfter.bind(position, at: 4)
    selectAfter.bind(Int64(rowsMax) + 1, at: 5)
    defer { selectAfter.reset() }
    while try selectAfter.step() {
      let isOwn = !device.isEmpty && selectAfter.string(3) == device
      guard rows < rowsMax, isOwn || ids.count < itemsMax else { return (ids, true) }
      rows += 1
      position = selectAfter.int64(0)
      guard !isOwn else { continue }
      ids.append(
        NotificationID(channel: selectAfter.int64(1), sequence: selectAfter.int64(2))
      )
    }
    return (ids, false)
  }
}
