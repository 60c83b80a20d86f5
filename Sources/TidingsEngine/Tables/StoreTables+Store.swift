extension StoreTables {
  /// What the store knows of itself, and the answers that it repeats.
  static let store = """
    -- Facts about this store: its incarnation and its secret.
    CREATE TABLE store (
      key TEXT PRIMARY KEY NOT NULL,
      value BLOB NOT NULL
    );

    -- Limits that were set while the server ran; they outlast restarts.
    CREATE TABLE settings (
      name TEXT PRIMARY KEY NOT NULL,
      value BIGINT NOT NULL
    ) WITHOUT ROWID;

    -- One row. steady: the store's own time, in milliseconds, on whose scale stands all that is compared with a
    -- duration (leases, tombstones, answers, released assets, ancestors, entries of indexes, marks of devices, what
    -- events count as committed at for their retention). uptime, boot: what the system showed then. lead_since,
    -- lead_least: the time of day was ahead of it since then, and by so much at least; null: it was not.
    CREATE TABLE clock (
      id INTEGER PRIMARY KEY NOT NULL,
      steady BIGINT NOT NULL,
      uptime BIGINT NOT NULL,
      boot BIGINT NOT NULL,
      lead_since BIGINT,
      lead_least BIGINT
    );

    -- The first answers of calls with an idempotency key. The key is bytes, because PostgreSQL's text has no U+0000.
    CREATE TABLE answers (
      owner TEXT NOT NULL,
      idempotency_key BLOB NOT NULL,
      request_hash BLOB NOT NULL,
      response BLOB NOT NULL,
      expires BIGINT NOT NULL,
      PRIMARY KEY (owner, idempotency_key)
    ) WITHOUT ROWID;
    CREATE INDEX answers_by_expiry ON answers (expires);
    """
}
