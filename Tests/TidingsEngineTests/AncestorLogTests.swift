internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// Versions are found as of any number, and forgotten in order.
@Suite struct AncestorLogTests {
  private let connection: any SQLConnection

  init() throws {
    connection = try TestDatabase().connect()
    try connection.migrate(Migration.store)
  }

  private func log(_ change: (inout Limits) -> Void = { _ in }) throws -> AncestorLog {
    var limits = Limits()
    change(&limits)
    return try AncestorLog(connection, limits: limits)
  }

  private func row(_ sequence: Int64, _ body: [UInt8]?, previous: Int64? = nil) -> RecordTable.Row {
    .init(sequence: sequence, recordType: "T", body: body, previous: previous)
  }

  private func ids() throws -> [Int64] {
    let statement = try connection.prepare("SELECT id FROM ancestors ORDER BY id")
    var ids: [Int64] = []
    try statement.forEachRow { ids.append(statement.int64(0)) }
    return ids
  }

  private let start = SteadyTime(milliseconds: 1_000_000_000)

  @Test("a record is what it was: absent before it was made and while it was deleted")
  func asOf() throws {
    let log = try log()
    // Made at 3, changed at 5, deleted at 7, made again at 9.
    let first = try log.append(row(3, [3]), at: start)
    let second = try log.append(row(5, [5], previous: first), at: start)
    let third = try log.append(row(7, nil, previous: second), at: start)
    let now = row(9, [9], previous: third)
    let expected: [AncestorLog.Version] = [
      .absent, .absent, .absent, .present(sequence: 3, body: [3]), .present(sequence: 3, body: [3]),
      .present(sequence: 5, body: [5]), .present(sequence: 5, body: [5]), .absent, .absent,
      .present(sequence: 9, body: [9]), .present(sequence: 9, body: [9]),
    ]
    for (sequence, version) in expected.enumerated() {
      #expect(try log.version(of: now, asOf: Int64(sequence)) == version, "\(sequence)")
    }
    #expect(try log.version(of: row(9, nil, previous: third), asOf: 9) == .absent)

    // A reader on the same rows sees the same; one that may not look far does not guess.
    var steps = 1
    #expect(
      try self.log().version(from: third, replacedAt: 9, asOf: 3, steps: &steps).version
        == .forgotten
    )
    #expect(steps == 0)
    steps = 3
    #expect(
      try self.log().version(from: third, replacedAt: 9, asOf: 3, steps: &steps).version
        == .present(sequence: 3, body: [3])
    )
  }

  @Test("what is too old goes, oldest first, and is forgotten, not absent; the newest stays")
  func retention() throws {
    try connection.execute("BEGIN")
    let log = try log { $0.ancestorRetentionHours = 1 }
    var previous: Int64?
    for sequence in 1...600 {
      let time = start.advanced(by: .seconds(sequence))
      previous = try log.append(row(Int64(sequence), [1], previous: previous), at: time)
    }
    let now = start.advanced(by: .milliseconds(3_600_000 + 400_500))
    // In pieces.
    #expect(try log.work(at: Moment(undisturbed: now.milliseconds)) == .zero)
    #expect(try ids() == Array(257...600))
    #expect(try log.work(at: Moment(undisturbed: now.milliseconds)) > .zero)
    #expect(try ids() == Array(401...600))
    let current = row(601, [1], previous: previous)
    #expect(try log.version(of: current, asOf: 401) == .present(sequence: 401, body: [1]))
    #expect(try log.version(of: current, asOf: 400) == .forgotten)

    let later = now.advanced(by: .seconds(86_400))
    #expect(try log.work(at: Moment(undisturbed: later.milliseconds)) > .zero)
    #expect(try ids() == [600])
    // No number is assigned twice, by no one.
    let other = try self.log()
    #expect(try other.append(row(602, [1]), at: later) == 601)
    try connection.execute("COMMIT")
  }

  @Test("a storm of saves keeps the log at its limits of rows and of bytes, without the task")
  func bounded() throws {
    try connection.execute("BEGIN")
    let rows = try log { $0.ancestorsMax = 100 }
    for sequence in 1...1000 { _ = try rows.append(row(Int64(sequence), [1]), at: start) }
    let kept = try ids()
    #expect(kept.count < 100 + 64 && kept.count >= 100 && kept.last == 1000)
    #expect(kept == Array((kept.first ?? 0)...1000))

    let bytes = try log { $0.ancestorBytesMax = 50_000 }
    let body = [UInt8](repeating: 7, count: 1000)
    for sequence in 1...1000 { _ = try bytes.append(row(Int64(sequence), body), at: start) }
    #expect(try ids().count < 50 + 64)
    #expect(try ids().last == 2000)
    try connection.execute("COMMIT")
  }

  @Test("after a transaction that was rolled back numbers go on from what the store has")
  func rollback() throws {
    let log = try log()
    #expect(try log.append(row(1, [1]), at: start) == 1)
    try connection.execute("BEGIN")
    #expect(try log.append(row(2, [1]), at: start) == 2)
    try connection.execute("ROLLBACK")
    log.reload()
    #expect(try log.append(row(3, [1]), at: start) == 2)
  }
}
