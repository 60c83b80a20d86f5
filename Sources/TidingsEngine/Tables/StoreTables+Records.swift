extension StoreTables {
  /// Records, and what they refer to.
  static let records = """
    -- The current state of each record, or its tombstone, whose body is null, in the order of creation: new ones are
    -- appended, and the trees that find them by name and by change stay small. sequence: the zone's number at the last
    -- change; position: its place in that change's batch. previous: the version before, in ancestors. deleted: since
    -- when it is a tombstone. creator: of a tombstone in a public database, the user who created the record; null: not
    -- known. The body comes last, so that the rest is read without it.
    CREATE TABLE records (
      id INTEGER PRIMARY KEY NOT NULL,
      zone_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      position BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      previous BIGINT,
      deleted BIGINT,
      creator TEXT,
      body BLOB
    );
    CREATE UNIQUE INDEX records_by_name ON records (zone_id, name);
    CREATE UNIQUE INDEX records_by_sequence ON records (zone_id, sequence, position);
    CREATE INDEX tombstones_by_time ON records (deleted) WHERE deleted IS NOT NULL;

    -- Superseded versions of records, oldest first, each with the one before it; a tombstone has an empty body. total:
    -- the bytes of all bodies so far, also of those that are forgotten. The newest row is never removed, so that no
    -- number is assigned twice.
    CREATE TABLE ancestors (
      id INTEGER PRIMARY KEY NOT NULL,
      previous BIGINT,
      sequence BIGINT NOT NULL,
      replaced BIGINT NOT NULL,
      total BIGINT NOT NULL,
      body BLOB NOT NULL
    );

    -- References that bind: kind 1 delete-self, 2 validate, 3 parent.
    CREATE TABLE record_references (
      zone_id BIGINT NOT NULL,
      target TEXT NOT NULL,
      kind BIGINT NOT NULL,
      source TEXT NOT NULL,
      PRIMARY KEY (zone_id, target, kind, source)
    ) WITHOUT ROWID;

    -- The newest mark of each device, when it came, and the number of the zone it came with.
    CREATE TABLE client_tokens (
      zone_id BIGINT NOT NULL,
      owner TEXT NOT NULL,
      device TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      token BLOB NOT NULL,
      saved BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (zone_id, owner, device)
    ) WITHOUT ROWID;
    CREATE INDEX client_tokens_by_time ON client_tokens (saved);

    -- Complete assets of a database. released: since when no record names it. payer: the user who pays for the asset
    -- while no record names it; empty: the container; null: nobody, it is about to go. was_named: a record named it;
    -- then it goes when its payer needs room.
    CREATE TABLE assets (
      database_id BIGINT NOT NULL,
      checksum BLOB NOT NULL,
      size BIGINT NOT NULL,
      released BIGINT,
      payer TEXT,
      was_named BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (database_id, checksum)
    ) WITHOUT ROWID;
    CREATE INDEX assets_by_checksum ON assets (checksum);
    CREATE INDEX assets_released ON assets (released) WHERE released IS NOT NULL;
    CREATE INDEX assets_reclaimable ON assets (payer, released)
      WHERE released IS NOT NULL AND was_named = 1;
    CREATE INDEX assets_by_payer ON assets (payer) WHERE payer <> '';

    -- Of a record in a public database, its type and the user who created it (empty: nobody knows): who may read one of
    -- the records may have the asset.
    CREATE TABLE asset_references (
      database_id BIGINT NOT NULL,
      checksum BLOB NOT NULL,
      zone_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      record_type TEXT,
      creator TEXT,
      PRIMARY KEY (database_id, checksum, zone_id, name)
    ) WITHOUT ROWID;
    CREATE INDEX asset_references_by_zone ON asset_references (zone_id);
    CREATE INDEX asset_references_by_type
      ON asset_references (database_id, checksum, record_type, creator) WHERE record_type IS NOT NULL;

    -- Who sent the bytes of an asset to a public database: knowing its checksum is not enough.
    CREATE TABLE asset_uploads (
      database_id BIGINT NOT NULL,
      checksum BLOB NOT NULL,
      user TEXT NOT NULL,
      PRIMARY KEY (database_id, checksum, user)
    ) WITHOUT ROWID;
    CREATE INDEX asset_uploads_by_user ON asset_uploads (user, database_id, checksum);
    """
}
