internal import TidingsSQL

extension Migration {
  /// The tables of records, zones, subscriptions and their events.
  static let firstLight = Migration(
    number: 1,
    name: "first light",
    sql: """
      -- Facts about this store: its incarnation and its secret.
      CREATE TABLE store (
        key TEXT PRIMARY KEY NOT NULL,
        value BLOB NOT NULL
      );

      -- zone_floor: the highest number of any deleted zone, from which new zones go on, so that no
      -- change tag and no token of an old zone fits a new one of the same name.
      CREATE TABLE databases (
        id INTEGER PRIMARY KEY NOT NULL,
        zone_floor INTEGER NOT NULL,
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        scope INTEGER NOT NULL,
        owner TEXT NOT NULL,
        UNIQUE (container, environment, scope, owner)
      );

      -- head: the number of the zone's last change.
      CREATE TABLE zones (
        id INTEGER PRIMARY KEY NOT NULL,
        database_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        head INTEGER NOT NULL,
        created BIGINT NOT NULL,
        UNIQUE (database_id, name)
      );

      -- The current state of each record, or its tombstone, whose body is null. The sequence is the
      -- zone's number at the last change, the position its place in that change's batch.
      CREATE TABLE records (
        zone_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        position INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        body BLOB,
        PRIMARY KEY (zone_id, name)
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX records_by_sequence ON records (zone_id, sequence, position);

      -- The types that fields have taken, per container and environment.
      CREATE TABLE field_types (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        field TEXT NOT NULL,
        kind TEXT NOT NULL,
        PRIMARY KEY (container, environment, record_type, field)
      ) WITHOUT ROWID;

      -- definition_key: a hash of all that makes subscriptions fire together.
      CREATE TABLE channels (
        id INTEGER PRIMARY KEY NOT NULL,
        database_id INTEGER NOT NULL,
        definition_key BLOB NOT NULL UNIQUE,
        topic BLOB NOT NULL,
        head INTEGER NOT NULL
      );

      -- A subscription sees its channel's events after `since` and, once it has ended, up to `ended`.
      CREATE TABLE subscriptions (
        id INTEGER PRIMARY KEY NOT NULL,
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        owner TEXT NOT NULL,
        database_id INTEGER NOT NULL,
        subscription_id TEXT NOT NULL,
        channel_id INTEGER NOT NULL,
        since INTEGER NOT NULL,
        ended INTEGER,
        body BLOB NOT NULL
      );
      CREATE UNIQUE INDEX subscriptions_by_name
        ON subscriptions (owner, database_id, subscription_id) WHERE ended IS NULL;
      CREATE INDEX subscriptions_by_owner ON subscriptions (owner, container, environment);
      CREATE INDEX subscriptions_by_channel ON subscriptions (channel_id) WHERE ended IS NULL;

      CREATE TABLE events (
        channel_id INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        committed BIGINT NOT NULL,
        origin_user TEXT NOT NULL,
        origin_device TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (channel_id, sequence)
      ) WITHOUT ROWID;

      CREATE TABLE read_marks (
        owner TEXT NOT NULL,
        channel_id INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (owner, channel_id, sequence)
      ) WITHOUT ROWID;

      -- The first answers of calls with an idempotency key.
      CREATE TABLE answers (
        owner TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        request_hash BLOB NOT NULL,
        response BLOB NOT NULL,
        expires BIGINT NOT NULL,
        PRIMARY KEY (owner, idempotency_key)
      ) WITHOUT ROWID;
      CREATE INDEX answers_by_expiry ON answers (expires);
      """
  )
}
