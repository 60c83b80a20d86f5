internal import TidingsModel
internal import TidingsSQL

/// Finds the types that have records, by examining a limited number of them.
final class RecordTypeScan {
  /// Most rows that are looked at: the loop waits meanwhile.
  static let rowsMax: Int64 = 20_000

  private let select: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      """
      SELECT records.record_type, records.body IS NULL
      FROM databases
      JOIN zones ON zones.database_id = databases.id
      JOIN records ON records.zone_id = zones.id
      WHERE databases.container = ?1 AND databases.environment = ?2
      LIMIT ?3
      """
    )
  }

  /// The types of the records of a container.
  ///
  /// - Returns: Types that have records; and whether these are all.
  func types(
    in container: String,
    _ environment: Environment
  ) throws -> (names: Set<String>, isComplete: Bool) {
    select.bind(container, at: 1)
    select.bind(Int64(environment.rawValue), at: 2)
    select.bind(Self.rowsMax + 1, at: 3)
    var names: Set<String> = []
    var count: Int64 = 0
    try select.forEachRow {
      count += 1
      if select.int64(1) == 0 { names.insert(select.string(0)) }
    }
    return (names, count <= Self.rowsMax)
  }
}
