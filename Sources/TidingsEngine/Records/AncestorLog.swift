internal import TidingsModel
internal import TidingsSQL

/// Superseded versions of records, tombstones among them: what a client had read before its conflict,
/// and what a query that is continued saw when it began.
///
/// Each record's row names its version before, which names the one before it, and so on. The oldest
/// versions are forgotten first, wherever they belong; the numbers of those that are kept have no
/// gaps, and no number is assigned twice.
final class AncestorLog: TransactionParticipant {
  /// What a record was at an earlier number of its zone.
  enum Version: Hashable {
    /// It was there: the zone's number at its last change, and the encoded record.
    case present(sequence: Int64, body: [UInt8])
    /// It did not exist yet, or was deleted.
    case absent
    /// Nobody knows any more.
    case forgotten
  }

  /// Versions examined for one answer by default: earlier ones are not found.
  static let stepsMax = 10_000

  private let limits: Limits
  private let select: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectOldest: any SQLStatement
  private let insertion: SQLInsertion
  private let delete: any SQLStatement

  /// What the writer knows of the rows; `nil`: not looked up yet.
  private var extent: AncestorExtent?
  /// The oldest row when it was looked for last, and it stayed: until it goes, no row does.
  private var oldestKept: Oldest?

  fileprivate struct Oldest {
    let id: Int64
    let replaced: SteadyTime
    let total: Int64
  }

  init(_ connection: any SQLConnection, limits: Limits) throws {
    self.limits = limits
    select = try connection.prepare("SELECT previous, sequence, body FROM ancestors WHERE id = ?1")
    selectNewest = try connection.prepare(
      "SELECT id, total FROM ancestors ORDER BY id DESC LIMIT 1"
    )
    selectOldest = try connection.prepare(
      "SELECT id, replaced, total FROM ancestors ORDER BY id LIMIT ?1"
    )
    insertion = SQLInsertion(
      into: "ancestors",
      ["id", "previous", "sequence", "replaced", "total", "body"],
      on: connection
    )
    delete = try connection.prepare("DELETE FROM ancestors WHERE id < ?1")
  }

  // MARK: Looking up

  /// Returns what a record was when its zone had a number.
  ///
  /// - Parameters:
  ///   - row: The record's row as it is now.
  ///   - sequence: The zone's number then.
  /// - Returns: What it was, if that is known.
  /// - Throws: `SQLError`.
  func version(of row: RecordTable.Row, asOf sequence: Int64) throws -> Version {
    guard row.sequence > sequence else {
      return row.body.map { .present(sequence: row.sequence, body: $0) } ?? .absent
    }
    var steps = Self.stepsMax
    return try version(
      from: row.previous,
      replacedAt: row.sequence,
      asOf: sequence,
      steps: &steps
    ).version
  }

  /// Returns what a record was when its zone had a number, earlier than the record's last change.
  ///
  /// - Parameters:
  ///   - previous: The version before the current one, as the record's row names it.
  ///   - current: The zone's number at the record's last change.
  ///   - sequence: The zone's number then.
  ///   - steps: How many versions may be looked at, and how many are left.
  /// - Returns: What it was, if that is known, and the zone's number when that was replaced.
  /// - Throws: `SQLError`.
  func version(
    from previous: Int64?,
    replacedAt current: Int64,
    asOf sequence: Int64,
    steps: inout Int
  ) throws -> (version: Version, replacedAt: Int64) {
    var (next, replacedAt) = (previous, current)
    while let id = next {
      guard steps > 0 else { return (.forgotten, replacedAt) }
      steps -= 1
      select.bind(id, at: 1)
      defer { select.reset() }
      guard try select.step() else { return (.forgotten, replacedAt) }
      let found = select.int64(1)
      if found <= sequence {
        let body = select.bytes(2)
        return (body.isEmpty ? .absent : .present(sequence: found, body: body), replacedAt)
      }
      replacedAt = found
      next = select.isNull(0) ? nil : select.int64(0)
    }
    return (.absent, replacedAt)
  }

  // MARK: Writing

  /// Keeps the version of a record that is about to be replaced.
  ///
  /// - Returns: Its number, for the record's row.
  func append(_ row: RecordTable.Row, at time: SteadyTime) throws -> Int64 {
    var extent = try knownExtent()
    let id = extent.append(bytes: row.body?.count ?? 0)
    self.extent = extent
    insertion.bind(id, at: 1)
    if let previous = row.previous {
      insertion.bind(previous, at: 2)
    } else {
      insertion.bindNull(of: .integer, at: 2)
    }
    insertion.bind(row.sequence, at: 3)
    insertion.bind(time.milliseconds, at: 4)
    insertion.bind(extent.total, at: 5)
    insertion.bind(row.body ?? [], at: 6)
    try insertion.add()
    // A storm of saves forgets faster than it remembers.
    if id % Self.appendsPerPiece == 0 { _ = try forgetPiece(at: time) }
    return id
  }

  func reload() { (extent, oldestKept) = (nil, nil) }

  private static let appendsPerPiece: Int64 = 64
  private static let rowsPerPiece: Int64 = 256
  private static let bytesPerPiece: Int64 = 16 << 20

  private func knownExtent() throws -> AncestorExtent {
    if let extent { return extent }
    defer { selectNewest.reset() }
    return try selectNewest.step()
      ? AncestorExtent(newest: selectNewest.int64(0), total: selectNewest.int64(1))
      : AncestorExtent(newest: 0, total: 0)
  }

  /// Removes the oldest versions of those that are too old or too many, a few at a time.
  ///
  /// - Returns: Whether there may be more.
  private func forgetPiece(at now: SteadyTime) throws -> Bool {
    let extent = try knownExtent()
    var cut = AncestorCut(
      extent,
      limits: limits,
      now: now,
      bytesMax: Self.bytesPerPiece
    )
    if let oldest = oldestKept, !cut.forgets(oldest) { return false }
    cut = AncestorCut(extent, limits: limits, now: now, bytesMax: Self.bytesPerPiece)
    oldestKept = nil
    selectOldest.bind(Self.rowsPerPiece, at: 1)
    var rows: Int64 = 0
    defer { selectOldest.reset() }
    while try selectOldest.step() {
      rows += 1
      let oldest = Oldest(
        id: selectOldest.int64(0),
        replaced: SteadyTime(milliseconds: selectOldest.int64(1)),
        total: selectOldest.int64(2)
      )
      guard cut.forgets(oldest) else {
        if cut.firstKept == nil { oldestKept = oldest }
        break
      }
    }
    selectOldest.reset()
    guard let first = cut.firstKept else { return false }
    delete.bind(first, at: 1)
    try delete.run()
    return cut.isFull || rows == Self.rowsPerPiece
  }
}

extension AncestorLog: MaintenanceTask {
  private static let pause = Duration.seconds(60)

  func work(at moment: Moment) throws -> Duration {
    try forgetPiece(at: moment.steady) ? .zero : Self.pause
  }
}

extension AncestorCut {
  fileprivate mutating func forgets(_ row: AncestorLog.Oldest) -> Bool {
    forgets(row.id, replaced: row.replaced, total: row.total)
  }
}
