internal import TidingsSQL

extension Migration {
  /// Times to the nanosecond.
  static let nanoseconds = Migration(
    number: 11,
    name: "nanoseconds",
    sql: """
      -- A time of day is two columns: milliseconds since 1970, and X_nanos, the nanoseconds after
      -- that millisecond, 0 to 999,999; 0: it was stored by an earlier version. One number of nanoseconds
      -- would end in 2262. Times in bodies of records and events are google.protobuf.Timestamp.
      ALTER TABLE zones ADD COLUMN created_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE zone_removals ADD COLUMN deleted_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE subscriptions ADD COLUMN saved_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE fetches ADD COLUMN fetched_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE read_marks ADD COLUMN marked_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE work_leases ADD COLUMN leased_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE work_leases ADD COLUMN settled_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE accounts ADD COLUMN created_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE accounts ADD COLUMN restricted_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account_keys ADD COLUMN admitted_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account_keys ADD COLUMN expires_nanos INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE account_keys ADD COLUMN revoked_nanos INTEGER NOT NULL DEFAULT 0;
      DROP INDEX account_keys_by_expiry;
      CREATE INDEX account_keys_by_expiry ON account_keys (expires, expires_nanos)
        WHERE expires IS NOT NULL AND revoked IS NULL AND retired = 0;
      """
  )
}
