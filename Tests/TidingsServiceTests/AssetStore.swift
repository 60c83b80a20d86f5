internal import TestSupport
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsService

/// An engine whose clock tests set, and a look at its rows of assets.
final class AssetStore {
  static let retentionMilliseconds: Int64 = 24 * 3_600_000

  let folder: TemporaryFolder
  let engine: Engine
  private let connection: SQLiteConnection
  private final class Clock {
    var now: Int64
    init(_ now: Int64) { self.now = now }
  }
  private let clock: Clock

  /// A store in which it is this time, in milliseconds since 1970.
  init(now: Int64 = Timestamp.now.millisecondsSince1970) throws {
    let clock = Clock(now)
    self.clock = clock
    folder = try TemporaryFolder()
    connection = try SQLiteConnection(path: folder.file("db"))
    // Nobody turns the power off.
    try connection.execute("PRAGMA synchronous = OFF")
    engine = try Engine(
      connection,
      codec: ProtoBodyCodec(),
      clock: { ClockReading(undisturbed: Timestamp(millisecondsSince1970: clock.now)) }
    )
  }

  var now: Int64 { clock.now }
  func advance(by milliseconds: Int64) { clock.now += milliseconds }

  static func database(_ owner: String = "ada") -> DatabaseID {
    DatabaseID(container: "default", environment: .development, scope: .private, owner: owner)
  }

  /// What the last transaction came to.
  private(set) var committed: CommittedTransaction?

  /// Runs calls in a transaction.
  @discardableResult
  func commit<R>(_ body: (Engine) throws -> R) throws -> R {
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

  /// When each asset was released, 0 for one that is named; by checksum.
  func released(_ owner: String = "ada") throws -> [[UInt8]: Int64] {
    let rows = try connection.prepare(
      """
      SELECT checksum, coalesce(released, 0) FROM assets
      JOIN databases ON id = database_id WHERE owner = ?1
      """
    )
    rows.bind(owner, at: 1)
    var released: [[UInt8]: Int64] = [:]
    try rows.forEachRow { released[rows.bytes(0)] = rows.int64(1) }
    return released
  }

  /// How many rows say that a record names an asset.
  func referenceCount() throws -> Int64 { try count("asset_references") }

  /// Changes the store behind the engine's back.
  func execute(_ sql: String) throws { try connection.execute(sql) }

  /// How many rows a table has.
  func count(_ table: String) throws -> Int64 {
    let rows = try connection.prepare("SELECT count(*) FROM \(table)")
    defer { rows.reset() }
    return try rows.step() ? rows.int64(0) : -1
  }
}
