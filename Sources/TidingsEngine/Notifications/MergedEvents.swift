internal import TidingsModel
internal import TidingsSQL

/// The events of a user with few subscriptions: each channel is read on from where the token stands,
/// and the one with the lowest place comes first.
final class MergedEvents: FeedEvents {
  /// Most memberships: each has a statement in the middle of its rows.
  static let membershipsMax = 64

  /// A channel's place among the others: that of its next event.
  private struct Location: Comparable {
    let location: Int64
    /// Where the cursor is kept.
    let index: Int

    static func < (one: Location, other: Location) -> Bool { one.location < other.location }
  }

  /// One channel.
  private struct Cursor {
    let rows: any SQLStatement
    /// The memberships that may hold more; the row at hand belongs to the first.
    var ranges: ArraySlice<MembershipTable.Membership>
    /// The last number that was passed.
    var position: Int64
  }

  private let bodies: EventBodies
  private var cursors: [Cursor] = []
  private var heap = Heap<Location>([])
  /// The cursor whose event was returned last.
  private var current: Int?
  private var passed: Int64

  /// The walk after a place.
  ///
  /// - Parameters:
  ///   - location: The last event before.
  ///   - memberships: By channel, oldest first.
  ///   - caller: Who asks.
  ///   - locations: Finds where to begin.
  ///   - bodies: Puts notifications together.
  ///   - statements: Statements to read with, one for each channel.
  /// - Throws: `SQLError`.
  init(
    after location: Int64,
    _ memberships: [MembershipTable.Membership],
    for caller: Caller,
    _ locations: EventPositions,
    _ bodies: EventBodies,
    _ statements: StatementPool
  ) throws {
    passed = location
    self.bodies = bodies
    var rest = memberships[...]
    var first: [Location] = []
    while let channel = rest.first?.channel {
      let ranges = rest.prefix { $0.channel == channel }
      rest = rest.dropFirst(ranges.count)
      let low = ranges.first?.since ?? 0
      guard let number = try locations.number(upTo: location, in: channel, from: low) else {
        continue
      }
      let rows = try statements.statement(cursors.count)
      Self.bind(channel, caller, to: rows)
      cursors.append(Cursor(rows: rows, ranges: ranges, position: number))
      if try beginRange(cursors.count - 1) {
        first.append(Location(location: rows.int64(1), index: cursors.count - 1))
      }
    }
    heap = Heap(first)
  }

  /// Reads the events of one channel between two numbers.
  private static let sql = """
    SELECT sequence, id, batch, body,
      CASE WHEN origin_device = ?4 AND origin_user = ?5 THEN 1 ELSE 0 END, creator, content
    FROM events WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3 ORDER BY sequence
    """

  /// Compiles a statement that reads the events of one channel.
  static func statement(_ connection: any SQLConnection) throws(SQLError) -> any SQLStatement {
    try connection.prepare(sql, inPagesBy: PageKey(.integer(2, column: 0)))
  }

  private static func bind(_ channel: Int64, _ caller: Caller, to rows: any SQLStatement) {
    rows.bind(channel, at: 1)
    // Null equals nothing: without a device no event is the caller's own.
    rows.bind(caller.device.isEmpty ? nil : caller.device, at: 4)
    rows.bind(caller.user, at: 5)
  }

  func next(_ rows: inout Int) throws -> FeedStep {
    if let current {
      heap.replaceFirst(with: try advance(current))
      self.current = nil
    }
    guard let first = heap.first else { return .end }
    let cursor = cursors[first.index]
    guard rows > 0 else { return .pause(passed, batch: cursor.rows.int64(2)) }
    rows -= 1
    current = first.index
    passed = first.location
    guard let range = cursor.ranges.first else { return .end }
    return .event(
      FeedEvent(
        location: first.location,
        batch: cursor.rows.int64(2),
        id: NotificationID(channel: range.channel, sequence: cursor.rows.int64(0)),
        isOwn: cursor.rows.int64(4) != 0,
        subscriptionID: range.subscriptionID
      )
    )
  }

  func body() throws -> [UInt8] {
    guard let current, let channel = cursors[current].ranges.first?.channel else { return [] }
    let rows = cursors[current].rows
    return try bodies.body(
      rows.bytes(3),
      of: channel,
      content: rows.int64(6)
    )
  }

  func creator() -> String { current.map { cursors[$0].rows.string(5) } ?? "" }

  func close() { for cursor in cursors { cursor.rows.reset() } }

  private func advance(_ index: Int) throws -> Location? {
    let rows = cursors[index].rows
    cursors[index].position = rows.int64(0)
    if try !rows.step() {
      cursors[index].ranges.removeFirst()
      guard try beginRange(index) else { return nil }
    }
    return Location(location: rows.int64(1), index: index)
  }

  /// Goes to the first event of the first membership that holds one.
  private func beginRange(_ index: Int) throws -> Bool {
    let rows = cursors[index].rows
    while let range = cursors[index].ranges.first {
      let (start, end) = (max(cursors[index].position, range.since), range.ended ?? .max)
      if start < end {
        rows.reset()
        rows.bind(start, at: 2)
        rows.bind(end, at: 3)
        if try rows.step() { return true }
      }
      cursors[index].ranges.removeFirst()
    }
    return false
  }
}

/// Statements that read the same of different channels at a time; compiled when they are needed.
final class StatementPool {
  private let connection: any SQLConnection
  private var statements: [any SQLStatement] = []

  init(_ connection: any SQLConnection) { self.connection = connection }

  /// The statement with a number, from 0 on.
  func statement(_ index: Int) throws(SQLError) -> any SQLStatement {
    while statements.count <= index {
      statements.append(try MergedEvents.statement(connection))
    }
    return statements[index]
  }
}
