internal import TidingsSQL

extension Migration {
  /// Feeds of changes, ancestors, references, assets, schemas and indexes.
  static let recordDatabase = Migration(
    number: 2,
    name: "the record database",
    sql: """
      -- feed_floor: the number of the newest zone deletion that is forgotten; a database token from
      -- before it has expired.
      ALTER TABLE databases ADD COLUMN feed_floor INTEGER NOT NULL DEFAULT 0;

      -- changed: the database's number at the zone's last change, each given once, whose highest is
      -- the database's head. tombstone_floor: the number of the newest tombstone of the zone that is
      -- forgotten; a zone token from before it has expired.
      ALTER TABLE zones ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE zones ADD COLUMN tombstone_floor INTEGER NOT NULL DEFAULT 0;
      UPDATE zones SET changed = id;
      CREATE UNIQUE INDEX zones_by_change ON zones (database_id, changed);

      -- Zones that are gone. changed: the database's number at the deletion.
      CREATE TABLE deleted_zones (
        database_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        changed INTEGER NOT NULL,
        reason INTEGER NOT NULL,
        deleted BIGINT NOT NULL,
        PRIMARY KEY (database_id, name)
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX deleted_zones_by_change ON deleted_zones (database_id, changed);
      CREATE INDEX deleted_zones_by_time ON deleted_zones (deleted);

      -- Records in the order of their creation: new ones are appended, and the trees that find them by
      -- name and by change stay small. previous: the version before, in ancestors. deleted: since when
      -- it is a tombstone. The body comes last, so that the rest is read without it.
      CREATE TABLE record_rows (
        id INTEGER PRIMARY KEY NOT NULL,
        zone_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        position INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        previous INTEGER,
        deleted BIGINT,
        body BLOB
      );
      INSERT INTO record_rows (zone_id, name, sequence, position, record_type, deleted, body)
        SELECT zone_id, name, sequence, position, record_type,
          CASE WHEN body IS NULL THEN 0 END, body FROM records;
      DROP TABLE records;
      ALTER TABLE record_rows RENAME TO records;
      CREATE UNIQUE INDEX records_by_name ON records (zone_id, name);
      CREATE UNIQUE INDEX records_by_sequence ON records (zone_id, sequence, position);
      CREATE INDEX tombstones_by_time ON records (deleted) WHERE deleted IS NOT NULL;

      -- Superseded versions of records, oldest first, each with the one before it; a tombstone has
      -- an empty body. total: the bytes of all bodies so far, also of those that are forgotten. The
      -- newest row is never removed, so that no number is given twice.
      CREATE TABLE ancestors (
        id INTEGER PRIMARY KEY NOT NULL,
        previous INTEGER,
        sequence INTEGER NOT NULL,
        replaced BIGINT NOT NULL,
        total BIGINT NOT NULL,
        body BLOB NOT NULL
      );

      -- References that bind: kind 1 delete-self, 2 validate, 3 parent.
      CREATE TABLE record_references (
        zone_id INTEGER NOT NULL,
        target TEXT NOT NULL,
        kind INTEGER NOT NULL,
        source TEXT NOT NULL,
        PRIMARY KEY (zone_id, target, kind, source)
      ) WITHOUT ROWID;

      -- The newest mark of each device, when it came, and the number of the zone it came with.
      CREATE TABLE client_tokens (
        zone_id INTEGER NOT NULL,
        owner TEXT NOT NULL,
        device TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        token BLOB NOT NULL,
        saved BIGINT NOT NULL DEFAULT 0,
        PRIMARY KEY (zone_id, owner, device)
      ) WITHOUT ROWID;
      CREATE INDEX client_tokens_by_time ON client_tokens (saved);

      -- Complete assets of a database. released: since when no record names it.
      CREATE TABLE assets (
        database_id INTEGER NOT NULL,
        checksum BLOB NOT NULL,
        size BIGINT NOT NULL,
        released BIGINT,
        PRIMARY KEY (database_id, checksum)
      ) WITHOUT ROWID;
      CREATE INDEX assets_by_checksum ON assets (checksum);
      CREATE INDEX assets_released ON assets (released) WHERE released IS NOT NULL;
      CREATE TABLE asset_references (
        database_id INTEGER NOT NULL,
        checksum BLOB NOT NULL,
        zone_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (database_id, checksum, zone_id, name)
      ) WITHOUT ROWID;
      CREATE INDEX asset_references_by_zone ON asset_references (zone_id);

      -- The schemas: what is learned or declared, per container and environment. A container is in
      -- production when it has a schema there. version: changes with every change, also with a
      -- learned field or the state of an index.
      CREATE TABLE schemas (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (container, environment)
      ) WITHOUT ROWID;
      -- used: a record of the type was saved at some time.
      CREATE TABLE record_types (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        used INTEGER NOT NULL,
        PRIMARY KEY (container, environment, record_type)
      ) WITHOUT ROWID;
      INSERT INTO schemas (container, environment, version)
        SELECT DISTINCT container, environment, 1 FROM field_types;
      INSERT INTO record_types (container, environment, record_type, used)
        SELECT DISTINCT container, environment, record_type, 1 FROM field_types;
      -- kind: the type in the schema language. flags: 1 queryable, 2 sortable, 4 searchable,
      -- 8 encrypted, 16 a value was saved at some time. System fields that have an index stand here
      -- too, under their names in the schema language.
      ALTER TABLE field_types ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;
      UPDATE field_types SET flags = 16;
      CREATE TABLE schema_roles (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        role TEXT NOT NULL,
        PRIMARY KEY (container, environment, role)
      ) WITHOUT ROWID;
      -- rights: 1 read, 2 create, 4 write.
      CREATE TABLE schema_grants (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        role TEXT NOT NULL,
        rights INTEGER NOT NULL,
        PRIMARY KEY (container, environment, record_type, role)
      ) WITHOUT ROWID;
      INSERT INTO schema_grants (container, environment, record_type, role, rights)
        SELECT container, environment, record_type, role, rights
        FROM record_types, (
          SELECT '_world' AS role, 1 AS rights
          UNION ALL SELECT '_icloud', 2
          UNION ALL SELECT '_creator', 4
        ) AS defaults;

      -- kind: 1 ordered by value, 2 words. state: 1 building, 2 ready, 3 being removed, 4 removed.
      -- While it is building, all records up to (built_zone, built_name) are in it. The newest row
      -- is never deleted, so that no number is given twice.
      CREATE TABLE field_indexes (
        id INTEGER PRIMARY KEY NOT NULL,
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        field TEXT NOT NULL,
        kind INTEGER NOT NULL,
        state INTEGER NOT NULL,
        built_zone INTEGER NOT NULL,
        built_name TEXT NOT NULL
      );
      CREATE UNIQUE INDEX field_indexes_by_field
        ON field_indexes (container, environment, record_type, field, kind) WHERE state < 3;
      -- An entry was true from the zone's number `since` on, and until `until`, if not null. Those
      -- that are no longer true stay for a while, so that a query can be continued as of its begin.
      CREATE TABLE index_entries (
        index_id INTEGER NOT NULL,
        zone_id INTEGER NOT NULL,
        key BLOB NOT NULL,
        name TEXT NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER,
        ended BIGINT,
        PRIMARY KEY (index_id, zone_id, key, name, since)
      ) WITHOUT ROWID;
      CREATE INDEX index_entries_ended ON index_entries (ended) WHERE ended IS NOT NULL;
      """
  )
}
