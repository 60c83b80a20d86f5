package import TidingsSQL

/// What distinguishes a store from others, and from older copies of itself.
package struct StoreLabel: Hashable, Sendable {
  /// Which store it is: 8 bytes.
  package var incarnation: [UInt8]
  /// Goes up with each start and each clean stop.
  package var run: Int64

  private static let runKey = "run"

  /// Reads the label of a store; `nil`: the database holds none yet.
  ///
  /// - Throws: `SQLError`.
  package init?(_ connection: any SQLConnection) throws {
    guard let incarnation = try Self.value("incarnation", connection) else { return nil }
    self.incarnation = incarnation
    run = try Self.value(Self.runKey, connection)?.reduce(0) { $0 << 8 | Int64($1) } ?? 0
  }

  /// Notes that a run began or ended, in a transaction of its own.
  ///
  /// - Throws: `SQLError`.
  package static func write(run: Int64, _ connection: any SQLConnection) throws {
    let statement = try connection.prepare(
      """
      INSERT INTO store (key, value) VALUES (?1, ?2)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """
    )
    statement.bind(runKey, at: 1)
    statement.bind(withUnsafeBytes(of: run.bigEndian) { [UInt8]($0) }, at: 2)
    try statement.run()
  }

  private static func value(_ key: String, _ connection: any SQLConnection) throws -> [UInt8]? {
    do throws(SQLError) {
      let select = try connection.prepare("SELECT value FROM store WHERE key = ?1")
      select.bind(key, at: 1)
      defer { select.reset() }
      return try select.step() ? select.bytes(0) : nil
    } catch  where error.kind == .statement {
      // There is no such table.
      return nil
    }
  }
}
