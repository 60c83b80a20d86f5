extension StoreTables {
  /// What records may be, and the indexes of their fields.
  static let schema = """
    -- The schemas: what is learned or declared, per container and environment. A container is in production when it has
    -- a schema there. version: changes with every change, also with a learned field or the state of an index.
    CREATE TABLE schemas (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      version BIGINT NOT NULL,
      PRIMARY KEY (container, environment)
    ) WITHOUT ROWID;

    -- used: a record of the type was saved at some time.
    CREATE TABLE record_types (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      used BIGINT NOT NULL,
      PRIMARY KEY (container, environment, record_type)
    ) WITHOUT ROWID;

    -- kind: the type in the schema language. flags: 1 queryable, 2 sortable, 4 searchable, 8 encrypted, 16 a value was
    -- saved at some time. System fields that have an index stand here too, under their names in the schema language.
    CREATE TABLE field_types (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      field TEXT NOT NULL,
      kind TEXT NOT NULL,
      flags BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (container, environment, record_type, field)
    ) WITHOUT ROWID;

    CREATE TABLE schema_roles (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      role TEXT NOT NULL,
      PRIMARY KEY (container, environment, role)
    ) WITHOUT ROWID;

    -- rights: 1 read, 2 create, 4 write.
    CREATE TABLE schema_grants (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      role TEXT NOT NULL,
      rights BIGINT NOT NULL,
      PRIMARY KEY (container, environment, record_type, role)
    ) WITHOUT ROWID;

    -- Whose saves taught development the type, by user; no row: everybody sees it.
    CREATE TABLE type_users (
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      user TEXT NOT NULL,
      PRIMARY KEY (container, environment, record_type, user)
    ) WITHOUT ROWID;
    CREATE INDEX type_users_by_user ON type_users (user);

    -- Containers whose development environment is being reset.
    CREATE TABLE environment_resets (
      container TEXT PRIMARY KEY NOT NULL,
      user TEXT NOT NULL,
      begun BIGINT NOT NULL
    ) WITHOUT ROWID;

    -- kind: 1 ordered by value, 2 words. state: 1 building, 2 ready, 3 being removed, 4 removed. While it is building,
    -- all records up to (built_zone, built_name) are in it. The newest row is never deleted, so that no number is assigned
    -- twice. Keys of locations begin with the number of a cell of the globe, in which places near a point are found.
    CREATE TABLE field_indexes (
      id INTEGER PRIMARY KEY NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      field TEXT NOT NULL,
      kind BIGINT NOT NULL,
      state BIGINT NOT NULL,
      built_zone BIGINT NOT NULL,
      built_name TEXT NOT NULL
    );
    CREATE UNIQUE INDEX field_indexes_by_field
      ON field_indexes (container, environment, record_type, field, kind) WHERE state < 3;

    -- An entry was true from the zone's number `since` on, and until `until`, if not null. Those that are no longer
    -- true stay for a while, so that a query can be continued as of its begin.
    CREATE TABLE index_entries (
      index_id BIGINT NOT NULL,
      zone_id BIGINT NOT NULL,
      key BLOB NOT NULL,
      name TEXT NOT NULL,
      since BIGINT NOT NULL,
      until BIGINT,
      ended BIGINT,
      PRIMARY KEY (index_id, zone_id, key, name, since)
    ) WITHOUT ROWID;
    CREATE INDEX index_entries_ended ON index_entries (ended) WHERE ended IS NOT NULL;
    """
}
