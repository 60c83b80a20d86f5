internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// Rows that are read while transactions before are not durable yet.
struct RowsAheadTests {
  private typealias Ahead = RowsAhead<Int64, Int64>

  /// A table of numbers, in which statements read what is durable when they run.
  private final class Table: SQLConnection {
    var durable: [Int64: Int64] = [:]
    private final class NoInterruption: SQLInterruption {
      func interrupt() {}
    }

    func prepare(_ sql: String) throws(SQLError) -> any SQLStatement { Select(self) }
    func execute(_ sql: String) throws(SQLError) {}
    var interruption: any SQLInterruption { NoInterruption() }
    func abandon() {}
  }

  private final class Select: SQLStatement {
    private let table: Table
    private var keys: [Int: Int64] = [:]
    private var rows: [(Int64, Int64)] = []
    private var index = -1

    init(_ table: Table) { self.table = table }

    /// Reads, as a thread of the store does.
    func read() {
      rows = Set(keys.values).compactMap { key in table.durable[key].map { (key, $0) } }
      index = -1
    }

    func bind(_ value: Int64, at index: Int) { keys[index] = value }
    func bind(_ value: String, at index: Int) {}
    func bind(_ value: [UInt8], at index: Int) {}
    func bindNull(at index: Int) { keys[index] = nil }
    func step() throws(SQLError) -> Bool {
      index += 1
      return index < rows.count
    }
    func reset() {}
    func int64(_ column: Int) -> Int64 { column == 0 ? rows[index].0 : rows[index].1 }
    func string(_ column: Int) -> String { "" }
    func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {}
    func isNull(_ column: Int) -> Bool { false }
  }

  private static var query: Ahead.Query {
    .init(
      sql: { $0 },
      types: [.integer],
      bind: { $0.bind($1, at: $2) },
      row: { ($0.int64(0), $0.int64(1)) }
    )
  }

  @Test("a row is as the transactions before left it, durable or not, or is not known")
  func rows() throws {
    let seed = Seed.make("RowsAheadTests")
    var random = SplitMix64(seed: seed)
    let table = Table()
    let ahead = Ahead(table, Self.query, bytesMax: 32 << 20)
    let moment = Moment(
      timeOfDay: Timestamp(millisecondsSince1970: 0),
      steady: SteadyTime(milliseconds: 0)
    )
    // What the transactions that are not durable yet leave, oldest first; the last one is the newest state.
    var states: [[Int64: Int64]] = []
    var (known, unknown, rollbacks) = (0, 0, 0)
    func durable(_ count: Int) {
      for _ in 0..<count where !states.isEmpty {
        table.durable = states.removeFirst()
        ahead.didCommit()
      }
    }
    func read() throws -> (keys: [Int64], Ahead.Reading) {
      let keys = (0..<random.below(20)).map { _ in Int64(random.below(30)) }
      for key in keys { ahead.want(key) }
      let reading = try ahead.takeReading()
      durable(random.below(2))
      for case let select as Select in reading.statements { select.read() }
      durable(random.below(3))
      return (keys, reading)
    }
    for number in 1...20_000 as ClosedRange<Int64> {
      var (keys, reading) = try read()
      if random.below(50) == 0 {
        // The transactions that are not durable are rolled back, and this one with them.
        states = []
        ahead.didRollback()
        rollbacks += 1
        continue
      }

      ahead.begin(at: moment)
      var state = states.last ?? table.durable
      // A transaction grows as long as those before it are not durable.
      for batch in 0...random.below(3) {
        if batch > 0 { (keys, reading) = try read() }
        try ahead.take(reading)
        for key in Set(keys) {
          guard let row = ahead[key] else {
            unknown += 1
            continue
          }
          known += 1
          #expect(row == state[key], "seed \(seed), transaction \(number), key \(key)")
        }
        for _ in 0..<random.below(6) {
          let key = Int64(random.below(30))
          let value = Int64(random.below(1_000_000))
          state[key] = value
          let isKnown = random.below(4) > 0
          ahead.wrote(key, isKnown ? value : nil)
          #expect(ahead[key] == (isKnown ? .some(value) : .none), "seed \(seed)")
        }
        if random.below(10) == 0 {
          let key = Int64(random.below(30))
          state[key] = nil
          ahead.wrote(key, nil)
        }
      }
      var transaction = CommittedTransaction(hasWrites: true)
      try ahead.willCommit(&transaction)
      states.append(state)
      if states.count > 2 { durable(1) }
    }
    #expect(known > unknown && unknown > 1_000 && rollbacks > 100, "seed \(seed)")
  }
}
