extension StoreTables {
  /// Users, their keys and credentials, and what is stored for them.
  static let accounts = """
    -- restricted: since when the user's calls are refused. control_epoch: how often all of the user's control topics
    -- were replaced. The bounds of the user's own quota; null: the server's; 0: none.
    CREATE TABLE accounts (
      user TEXT PRIMARY KEY NOT NULL,
      display_name TEXT NOT NULL,
      created BIGINT NOT NULL,
      restricted BIGINT,
      control_epoch BIGINT NOT NULL DEFAULT 0,
      records_max BIGINT,
      bytes_max BIGINT,
      calls_per_second_max BIGINT,
      subscriptions_max BIGINT,
      connections_max BIGINT,
      created_nanos BIGINT NOT NULL DEFAULT 0,
      restricted_nanos BIGINT NOT NULL DEFAULT 0
    ) WITHOUT ROWID;

    CREATE TABLE account_roles (
      user TEXT NOT NULL,
      role TEXT NOT NULL,
      PRIMARY KEY (user, role)
    ) WITHOUT ROWID;

    -- Keys that are or were admitted. The rows are never removed, so that no number is assigned twice. user: empty for
    -- guests. retired: the key has expired, and what its user receives was replaced; those that a clock which was ahead
    -- let expire are looked for when it goes back.
    CREATE TABLE account_keys (
      id INTEGER PRIMARY KEY NOT NULL,
      user TEXT NOT NULL,
      public_key BLOB NOT NULL UNIQUE,
      label TEXT NOT NULL,
      admitted BIGINT NOT NULL,
      expires BIGINT,
      revoked BIGINT,
      retired BIGINT NOT NULL DEFAULT 0,
      admitted_nanos BIGINT NOT NULL DEFAULT 0,
      expires_nanos BIGINT NOT NULL DEFAULT 0,
      revoked_nanos BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX account_keys_by_user ON account_keys (user, id);
    CREATE INDEX account_keys_retired ON account_keys (expires) WHERE retired = 1 AND revoked IS NULL;
    CREATE INDEX account_keys_by_expiry ON account_keys (expires, expires_nanos)
      WHERE expires IS NOT NULL AND revoked IS NULL AND retired = 0;

    -- Users all of whose channels are to get new topics, and how far that has come: up to a channel of the stage.
    -- epoch: that of the control topics that the user's devices may still receive.
    CREATE TABLE user_rotations (
      user TEXT PRIMARY KEY NOT NULL,
      epoch BIGINT NOT NULL,
      stage BIGINT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      number BIGINT NOT NULL
    ) WITHOUT ROWID;

    -- kind: 1 an API token, 2 a session of a user, 3 a server key. hash: the SHA-256 of the random bytes of the token,
    -- or of public_key; previous_hash: that of the token before a renewal, valid until previous_ends. api_token: of a
    -- session; 0: none. origins: separated by spaces. The newest row is never removed, so that no ID is used again.
    CREATE TABLE web_tokens (
      id INTEGER PRIMARY KEY NOT NULL,
      kind BIGINT NOT NULL,
      hash BLOB NOT NULL UNIQUE,
      user TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      label TEXT NOT NULL,
      origins TEXT NOT NULL,
      callback_url TEXT NOT NULL,
      api_token BIGINT NOT NULL,
      public_key BLOB NOT NULL,
      is_kept BIGINT NOT NULL,
      previous_hash BLOB,
      previous_ends BIGINT,
      previous_ends_nanos BIGINT NOT NULL DEFAULT 0,
      created BIGINT NOT NULL,
      created_nanos BIGINT NOT NULL DEFAULT 0,
      expires BIGINT,
      expires_nanos BIGINT NOT NULL DEFAULT 0,
      revoked BIGINT,
      revoked_nanos BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX web_tokens_by_user ON web_tokens (user, id);
    CREATE INDEX web_tokens_by_kind ON web_tokens (kind, id);
    CREATE INDEX web_tokens_by_expiry ON web_tokens (expires, expires_nanos);
    CREATE INDEX web_tokens_by_kind_and_expiry ON web_tokens (kind, expires);

    -- What is stored for a user in a container, in both environments; the owner of a public database is empty. bytes:
    -- all of it. What belongs to no container, or is not worth a look at it, stands under an empty one.
    CREATE TABLE usage (
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      records BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      PRIMARY KEY (owner, container)
    ) WITHOUT ROWID;

    -- Users whose data is removed, and what was removed. erasure_id: names it, 16 random bytes. user: whom, until it is
    -- finished; then null. user_hash: a hash of the name with the store's secret, so that the receipt is found by a
    -- name that is no longer stored. requested_by: the administrator. action: 1 deletes records in public databases, 2
    -- keeps them. step, position: what is being removed, and how far that is. counts: what was removed, as `kind=count`
    -- with commas between them.
    CREATE TABLE user_erasures (
      id INTEGER PRIMARY KEY NOT NULL,
      erasure_id BLOB NOT NULL UNIQUE,
      user TEXT,
      user_hash BLOB NOT NULL,
      requested_by TEXT NOT NULL,
      requested BIGINT NOT NULL,
      requested_nanos BIGINT NOT NULL DEFAULT 0,
      finished BIGINT,
      finished_nanos BIGINT NOT NULL DEFAULT 0,
      action BIGINT NOT NULL,
      step BIGINT NOT NULL,
      position BIGINT NOT NULL,
      counts TEXT NOT NULL,
      tombstones_until BIGINT,
      notifications_until BIGINT
    );
    CREATE UNIQUE INDEX user_erasures_running ON user_erasures (user) WHERE user IS NOT NULL;
    CREATE INDEX user_erasures_by_hash ON user_erasures (user_hash, id);

    -- Private databases of erased users that stay, because ended shares name their owner: they go with the last of
    -- these shares.
    CREATE TABLE erased_databases (
      database_id INTEGER PRIMARY KEY NOT NULL
    );

    -- Users who published themselves in a container. email: in lower case; phone: a plus sign and digits; null: not
    -- published.
    CREATE TABLE directory_entries (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      user TEXT NOT NULL,
      display_name TEXT NOT NULL,
      email TEXT,
      phone TEXT,
      PRIMARY KEY (container, environment, user)
    ) WITHOUT ROWID;
    CREATE INDEX directory_entries_by_user ON directory_entries (user, container);
    CREATE UNIQUE INDEX directory_entries_by_email ON directory_entries (container, environment, email)
      WHERE email IS NOT NULL;
    CREATE UNIQUE INDEX directory_entries_by_phone ON directory_entries (container, environment, phone)
      WHERE phone IS NOT NULL;
    """
}
