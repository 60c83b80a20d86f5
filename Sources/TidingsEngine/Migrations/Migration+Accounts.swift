internal import TidingsSQL

extension Migration {
  /// Users, their keys and their roles.
  static let accounts = Migration(
    number: 4,
    name: "accounts",
    sql: """
      -- restricted: since when the user's calls are refused. control_epoch: how often all of the user's
      -- control topics were replaced. The bounds of the user's own quota; null: the server's; 0: none.
      CREATE TABLE accounts (
        user TEXT PRIMARY KEY NOT NULL,
        display_name TEXT NOT NULL,
        created BIGINT NOT NULL,
        restricted BIGINT,
        control_epoch INTEGER NOT NULL DEFAULT 0,
        records_max BIGINT,
        bytes_max BIGINT,
        calls_per_second_max BIGINT,
        subscriptions_max BIGINT,
        connections_max BIGINT
      ) WITHOUT ROWID;
      CREATE TABLE account_roles (
        user TEXT NOT NULL,
        role TEXT NOT NULL,
        PRIMARY KEY (user, role)
      ) WITHOUT ROWID;
      -- Keys that are or were admitted. The rows are never removed, so that no number is given twice.
      -- user: empty for guests. retired: the key has expired, and what its user hears was replaced.
      CREATE TABLE account_keys (
        id INTEGER PRIMARY KEY NOT NULL,
        user TEXT NOT NULL,
        public_key BLOB NOT NULL UNIQUE,
        label TEXT NOT NULL,
        admitted BIGINT NOT NULL,
        expires BIGINT,
        revoked BIGINT,
        retired INTEGER NOT NULL DEFAULT 0
      );
      CREATE INDEX account_keys_by_user ON account_keys (user, id);
      CREATE INDEX account_keys_by_expiry ON account_keys (expires)
        WHERE expires IS NOT NULL AND revoked IS NULL AND retired = 0;

      -- Users all of whose channels are to get new topics, and how far that has come: up to a channel
      -- of the stage. epoch: that of the control topics that the user's devices may still hear.
      CREATE TABLE user_rotations (
        user TEXT PRIMARY KEY NOT NULL,
        epoch INTEGER NOT NULL,
        stage INTEGER NOT NULL,
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        number INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX databases_by_owner ON databases (owner, id);
      CREATE INDEX channels_by_database ON channels (database_id, id);
      """
  )
}
