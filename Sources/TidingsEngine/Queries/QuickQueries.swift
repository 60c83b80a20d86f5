internal import TidingsModel

/// Decides which queries are quick: so quick that the loop answers them in its turn, where all others wait.
///
/// What is looked at is bounded before it begins, ended entries among it: no time is measured.
struct QuickQueries {
  /// Most records of a page.
  private static let limitMax = 100
  /// Comparisons of a predicate.
  private static let comparisonsMax = 8
  /// Zones that a query looks into.
  private static let zonesMax = 8
  /// Ranges of keys of an index.
  private static let rangesMax = 16
  /// Entries or names that are looked at.
  private static let rowsMax = 500

  private let rows: QueryRows

  init(_ rows: QueryRows) { self.rows = rows }

  /// Whether planning is quick: of a few plain comparisons, all of which must hold, in a few zones.
  func mayPlan(_ page: QueryPage, _ catalog: Catalog) throws -> Bool {
    guard page.started == nil, case .query(let query) = page.request,
      (1...Self.limitMax).contains(page.limit), query.database.scope != .shared
    else { return false }
    let conditions = query.predicate.root.conjuncts
    guard (1...Self.comparisonsMax).contains(conditions.count),
      conditions.allSatisfy({ condition in
        if case .comparison(let comparison) = condition { comparison.isPlain } else { false }
      })
    else { return false }
    if query.zoneID != nil { return true }
    guard let database = try catalog.database(query.database) else { return false }
    return try catalog.hasZones(atMost: Self.zonesMax, in: database)
  }

  /// Whether a plan looks at few rows.
  func mayRun(_ plan: QueryPlan, in zones: [QueryZone]) throws -> Bool {
    if case .named(let names) = plan.access { return names.count * zones.count <= Self.rowsMax }
    guard let entries = plan.access.entries, entries.count <= Self.rangesMax else { return false }
    return try rows.count(plan.access, in: zones, upTo: Self.rowsMax) < Self.rowsMax
  }
}
