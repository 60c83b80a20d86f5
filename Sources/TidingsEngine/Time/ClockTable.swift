internal import TidingsModel
internal import TidingsSQL

/// The row that lets the steady time go on after a restart.
final class ClockTable {
  private let select: any SQLStatement
  private let upsert: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare(
      "SELECT steady, uptime, boot, lead_since, lead_least FROM clock WHERE id = 1"
    )
    upsert = try connection.prepare(
      """
      INSERT INTO clock (id, steady, uptime, boot, lead_since, lead_least)
      VALUES (1, ?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (id) DO UPDATE SET steady = excluded.steady, uptime = excluded.uptime,
        boot = excluded.boot, lead_since = excluded.lead_since, lead_least = excluded.lead_least
      """
    )
  }

  /// What was kept; `nil`: nothing yet.
  ///
  /// - Throws: `SQLError` `damaged` for times that no clock shows.
  func saved() throws(SQLError) -> StoreClock.Saved? {
    defer { select.reset() }
    guard try select.step() else { return nil }
    let hasLead = !select.isNull(3) && !select.isNull(4)
    let times =
      [select.int64(0), select.int64(1)] + (hasLead ? [select.int64(3), select.int64(4)] : [])
    let possible = 0...Timestamp.validRange.upperBound.millisecondsSince1970
    guard times.allSatisfy(possible.contains) else {
      throw SQLError(.damaged, "the store's clock shows no possible time")
    }
    return StoreClock.Saved(
      steady: SteadyTime(milliseconds: times[0]),
      uptime: times[1],
      boot: select.int64(2),
      lead: hasLead
        ? StoreClock.Lead(since: SteadyTime(milliseconds: times[2]), least: times[3]) : nil
    )
  }

  /// Keeps what the next run needs.
  func write(_ saved: StoreClock.Saved) throws(SQLError) {
    upsert.bind(saved.steady.milliseconds, at: 1)
    upsert.bind(saved.uptime, at: 2)
    upsert.bind(saved.boot, at: 3)
    upsert.bind(saved.lead?.since.milliseconds, at: 4)
    upsert.bind(saved.lead?.least, at: 5)
    try upsert.run()
  }
}
