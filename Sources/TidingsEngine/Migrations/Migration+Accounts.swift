internal import TidingsSQL

extension Migration {
  /// Users, their keys and their roles.
  static let accounts = Migration(
    number: 4,
    name: "accounts",
    sql: """
      -- restricted: since when the user's calls are refused. The bounds of the user's own quota; null:
      -- the server's; 0: none.
      CREATE TABLE accounts (
        user TEXT PRIMARY KEY NOT NULL,
        display_name TEXT NOT NULL,
        created BIGINT NOT NULL,
        restricted BIGINT,
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
      -- user: empty for guests.
      CREATE TABLE account_keys (
        id INTEGER PRIMARY KEY NOT NULL,
        user TEXT NOT NULL,
        public_key BLOB NOT NULL UNIQUE,
        label TEXT NOT NULL,
        admitted BIGINT NOT NULL,
        expires BIGINT,
        revoked BIGINT
      );
      CREATE INDEX account_keys_by_user ON account_keys (user, id);
      """
  )
}
