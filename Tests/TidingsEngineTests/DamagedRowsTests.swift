internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

/// Rows that hold what no row can: calls fail or answer something, and the process lives.
@Suite(.embeddedOnly) struct DamagedRowsTests {
  /// Values that random bits in a page can leave, as SQL.
  private static let values = [
    "-1", "0", "9223372036854775807", "-9223372036854775808", "4294967296", "NULL", "''", "x''",
    "x'ff00ff'", "x'0a80'", "'no-such-name'",
  ]
  private static let damagesCount = 60

  /// A column of a table.
  private struct Column {
    let table: String
    let name: String
  }

  private func columns(of path: String) throws -> [Column] {
    let connection = try SQLiteConnection(path: path, readsOnly: true)
    let select = try connection.prepare(
      """
      SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'migrations'
      """
    )
    var columns: [Column] = []
    try select.forEachRow {
      columns.append(Column(table: select.string(0), name: select.string(1)))
    }
    return columns
  }

  @Test("no value in a row ends the process")
  func rows() throws {
    let seed = Seed.make("DamagedRows")
    var random = SplitMix64(seed: seed)
    let world = try FaultWorld()
    let whole = try world.copy()
    let columns = try columns(of: whole.file("db"))
    #expect(columns.count > 100)
    for number in 0..<Self.damagesCount {
      let column = columns[random.below(columns.count)]
      let value = Self.values[random.below(Self.values.count)]
      let folder = try TemporaryFolder()
      try folder.write(whole.read("db"), to: "db")
      print("DamagedRows \(seed) \(number): \(column.table).\(column.name) = \(value)")
      // Some values have no place in some columns.
      try? SQLiteConnection(path: folder.file("db")).execute(
        "UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value) "
          + "WHERE \(column.name) IS NOT NULL"
      )
      use(world, folder.file("db"))
    }
  }

  /// Makes all calls; what they answer does not matter.
  private func use(_ world: FaultWorld, _ path: String) {
    do {
      let connection = try SQLiteConnection(path: path)
      try connection.execute("PRAGMA synchronous = OFF")
      let engine = try Engine(connection) {
        ClockReading(undisturbed: Timestamp(millisecondsSince1970: 1_700_000_900_000))
      }
      let reader = try EngineReader(
        SQLiteConnection(path: path, readsOnly: true),
        limits: Limits()
      )
      for call in FaultCall<EngineReader>.reads {
        _ = try? reader.withSnapshot { try call(world, reader) }
      }
      for call in FaultCall<Engine>.reads + FaultCall<Engine>.writes {
        do {
          try engine.begin()
          _ = try call(world, engine)
          _ = try engine.commit()
        } catch {
          engine.rollback()
        }
      }
    } catch {
      // It cannot be opened.
    }
  }
}
