internal import TidingsSQL

extension Migration {
  /// The time that retention and leases are measured with.
  static let clock = Migration(
    number: 9,
    name: "clock",
    sql: """
      -- One row. steady: the store's own time, in milliseconds, on whose scale stands all that is
      -- compared with a duration (leases, tombstones, answers, released assets, ancestors, entries of
      -- indexes, marks of devices, what events count as committed at for their retention). uptime, boot:
      -- what the system showed then. lead_since, lead_least: the time of day was ahead of it since then,
      -- and by so much at least; null: it was not.
      CREATE TABLE clock (
        id INTEGER PRIMARY KEY NOT NULL,
        steady BIGINT NOT NULL,
        uptime BIGINT NOT NULL,
        boot BIGINT NOT NULL,
        lead_since BIGINT,
        lead_least BIGINT
      );
      -- Keys that a clock which was ahead let expire are looked for when it goes back.
      CREATE INDEX account_keys_retired ON account_keys (expires)
        WHERE retired = 1 AND revoked IS NULL;
      """
  )
}
