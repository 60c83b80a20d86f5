#if PostgreSQL
public import TidingsPostgres
internal import TidingsSQL

/// How PostgreSQL finds the rows of a statement on a connection of rpcd: by the generic plan, which it uses for any values.
public struct StatementPlan {
  /// A step of the plan, with what stands below its line.
  public struct Step: Sendable {
    /// For example `Index Scan using zones_pkey on zones`.
    public let name: String
    /// For example `Index Cond: (id = $1)`.
    public var details: [String] = []

    /// It reads a table, or an index, from its beginning, or sorts.
    fileprivate var isUnbounded: Bool {
      if name.hasPrefix("Seq Scan") || name.hasPrefix("Sort") { return true }
      let isIndex = name.hasPrefix("Index Scan") || name.hasPrefix("Index Only Scan")
      return isIndex && !details.contains { $0.hasPrefix("Index Cond") }
    }

    fileprivate var filters: Bool { details.contains { $0.hasPrefix("Filter") } }
  }

  private let steps: [Step]

  /// Steps whose work grows with a table: they read a table or an index from its beginning, or sort.
  ///
  /// Not those that read the first rows of an index, as many as are wanted.
  public var unbounded: [Step] {
    steps.indices.filter { index in
      let isLimited = index > 0 && steps[index - 1].name == "Limit" && !steps[index].filters
      return steps[index].isUnbounded && (!isLimited || steps[index].name.hasPrefix("Sort"))
    }
    .map { steps[$0] }
  }

  /// Has the server plan a statement.
  ///
  /// - Parameters:
  ///   - sql: In the shared dialect.
  ///   - connection: With the tables.
  /// - Throws: `SQLError` when the server does not understand it.
  public init(of sql: String, on connection: PostgresConnection) throws {
    let count = Self.parameterCount(sql)
    try Self.prepare(sql, count, connection)
    defer { try? connection.execute("DEALLOCATE examined") }
    let nulls = Array(repeating: "NULL", count: count).joined(separator: ", ")
    let values = count == 0 ? "" : "(\(nulls))"
    let explained = try connection.prepare("EXPLAIN (COSTS OFF) EXECUTE examined" + values)
    var steps: [Step] = []
    try explained.forEachRow {
      let line = explained.string(0)
      let text = line.drop { $0 == " " }
      if steps.isEmpty || text.hasPrefix("->") {
        steps.append(Step(name: String(text.drop { "-> ".contains($0) })))
      } else {
        steps[steps.count - 1].details.append(String(text))
      }
    }
    self.steps = steps
  }

  /// Prepares a statement with the types that the server infers.
  ///
  /// It cannot infer all of them: the driver has those of the values that are bound.
  private static func prepare(
    _ sql: String,
    _ count: Int,
    _ connection: PostgresConnection
  ) throws(SQLError) {
    var guessed: Int?
    var (types, tried) = (Array(repeating: "unknown", count: count), 0)
    let candidates = ["bigint", "text", "bytea"]
    while true {
      let list = count == 0 ? "" : "(" + types.joined(separator: ", ") + ")"
      do throws(SQLError) {
        return try connection.execute("PREPARE examined\(list) AS " + sql)
      } catch {
        let named = error.message.firstMatch(of: /parameter \$(\d+)/).flatMap { Int($0.output.1) }
        if error.state == "42P18" || error.state == "42P08", let named, named <= count {
          types[named - 1] = candidates[0]
          (guessed, tried) = (named - 1, 0)
        } else if let guessed, tried < 2 {
          // The last type that was guessed does not fit.
          tried += 1
          types[guessed] = candidates[tried]
        } else {
          throw error
        }
      }
    }
  }

  private static func parameterCount(_ sql: String) -> Int {
    sql.matches(of: /\?(\d+)/).compactMap { Int($0.output.1) }.max() ?? 0
  }
}
#endif
