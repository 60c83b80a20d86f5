internal import TidingsSQL

extension Migration {
  /// Users whose data is removed, and what was removed.
  static let erasures = Migration(
    number: 13,
    name: "erasures",
    sql: """
      -- erasure_id: names it, 16 random bytes. user: whom, until it is finished; then null. user_hash: a hash
      -- of the name with the store's secret, so that the receipt is found by a name that is no longer stored.
      -- requested_by: the administrator. action: 1 deletes records in public databases, 2 keeps them.
      -- step, position: what is being removed, and how far that is.
      -- counts: what was removed, as `kind=count` with commas between them.
      CREATE TABLE user_erasures (
        id INTEGER PRIMARY KEY NOT NULL,
        erasure_id BLOB NOT NULL UNIQUE,
        user TEXT,
        user_hash BLOB NOT NULL,
        requested_by TEXT NOT NULL,
        requested BIGINT NOT NULL,
        requested_nanos INTEGER NOT NULL DEFAULT 0,
        finished BIGINT,
        finished_nanos INTEGER NOT NULL DEFAULT 0,
        action INTEGER NOT NULL,
        step INTEGER NOT NULL,
        position BIGINT NOT NULL,
        counts TEXT NOT NULL,
        tombstones_until BIGINT,
        notifications_until BIGINT
      );
      CREATE UNIQUE INDEX user_erasures_running ON user_erasures (user) WHERE user IS NOT NULL;
      CREATE INDEX user_erasures_by_hash ON user_erasures (user_hash, id);
      -- Private databases of erased users that stay, because ended shares name their owner: they go with
      -- the last of these shares.
      CREATE TABLE erased_databases (
        database_id INTEGER PRIMARY KEY NOT NULL
      );
      CREATE INDEX asset_uploads_by_user ON asset_uploads (user, database_id, checksum);
      CREATE INDEX assets_by_payer ON assets (payer) WHERE payer <> '';
      CREATE INDEX type_users_by_user ON type_users (user);
      CREATE INDEX shares_of_database ON shares (database_id);
      """
  )
}
