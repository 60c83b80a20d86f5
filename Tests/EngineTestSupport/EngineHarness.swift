package import TestSupport
package import TidingsCodec
package import TidingsEngine
internal import TidingsModel
package import TidingsSQL

/// An engine on a store of its own, a reader beside it, and a clock that tests move.
open class EngineHarness {
  private final class Clock { var time: Timestamp? }

  package let limits: Limits
  package let folder: TemporaryFolder
  package let testDatabase: TestDatabase
  package let connection: any SQLConnection
  package let codec = BodyCodec()
  package private(set) var engine: Engine
  package private(set) var reader: EngineReader
  /// What the last transaction came to.
  package private(set) var committed: CommittedTransaction?
  private let clock = Clock()

  /// Milliseconds since 1970; the machine's until it is set.
  package var time: Int64 {
    get { (clock.time ?? .now).millisecondsSince1970 }
    set { clock.time = Timestamp(millisecondsSince1970: newValue) }
  }

  package init(
    limits: Limits = Limits(),
    testDatabase: TestDatabase? = nil,
    time: Int64? = 1_700_000_000_000
  ) throws {
    self.limits = limits
    folder = try TemporaryFolder()
    self.testDatabase = try testDatabase ?? TestDatabase()
    clock.time = time.map { Timestamp(millisecondsSince1970: $0) }
    connection = try self.testDatabase.connect()
    engine = try Self.open(connection, limits, clock)
    reader = try Self.openReader(self.testDatabase, limits)
  }

  private static func open(
    _ connection: any SQLConnection,
    _ limits: Limits,
    _ clock: Clock
  ) throws -> Engine {
    try Engine(connection, limits: limits) {
      clock.time.map { ClockReading(undisturbed: $0) } ?? .now
    }
  }

  package static func openReader(
    _ database: TestDatabase,
    _ limits: Limits
  ) throws -> EngineReader {
    try EngineReader(database.connect(readsOnly: true), limits: limits)
  }

  /// Another engine on the same store, as after a restart of the server.
  package func restart() throws {
    engine = try Self.open(connection, limits, clock)
    reader = try Self.openReader(testDatabase, limits)
  }

  /// Runs calls in a transaction.
  @discardableResult
  package func commit<R>(_ body: (Engine) throws -> R) throws -> R {
    try engine.begin()
    do {
      let result = try body(engine)
      committed = try engine.commit()
      return result
    } catch {
      engine.rollback()
      throw error
    }
  }

  /// Runs a transaction and takes it back.
  package func takeBack(_ body: (Engine) throws -> Void) throws {
    try engine.begin()
    try body(engine)
    engine.rollback()
  }

  /// Does a piece of the engine's own work.
  ///
  /// - Returns: Whether there is more at once.
  @discardableResult
  package func doOneTask() throws -> Bool { try commit { try $0.doMaintenance() } == .zero }

  /// Does the engine's own work until there is none at once.
  package func doMaintenance() throws {
    try blockUntil("the engine's own work to be done", pausing: .zero) { try !doOneTask() }
  }

  /// Moves the clock, and does all maintenance tasks that are due.
  package func pass(_ duration: Duration) throws {
    time += Int64(duration / .milliseconds(1))
    try doMaintenance()
  }

  /// Runs SQL behind the engine's back.
  package func execute(_ sql: String) throws { try connection.execute(sql) }

  /// A number that a statement finds.
  package func number(_ sql: String) throws -> Int64 {
    let statement = try connection.prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : -1
  }
}
