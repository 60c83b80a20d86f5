package import TidingsSQL

extension Migration {
  /// All steps of the store's schema.
  ///
  /// What has landed is never changed: a new need is a new step.
  package static let store: [Migration] = [
    Migration(
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
    ),
    Migration(
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
    ),
    Migration(
      number: 3,
      name: "notifications",
      sql: """
        -- kind: 1 query, 2 record zone, 3 database. members: how many subscriptions are active.
        -- closed: subscriptions from before that number have ended with the event after their `since`,
        -- whatever their rows say; 0: their rows say it all.
        -- definition: what these ask for, without their names; watch: the same as the channel index
        -- wants it, made when it is missing.
        ALTER TABLE channels ADD COLUMN kind INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE channels ADD COLUMN members INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channels ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channels ADD COLUMN watch BLOB;
        ALTER TABLE channels ADD COLUMN definition BLOB;
        -- The number and the id of the newest event that is forgotten; 0: none is.
        ALTER TABLE channels ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channels ADD COLUMN floor_event INTEGER NOT NULL DEFAULT 0;
        UPDATE channels SET
          members = (
            SELECT count(*) FROM subscriptions s
            WHERE s.channel_id = channels.id AND s.ended IS NULL
          ),
          definition = (
            SELECT min(s.body) FROM subscriptions s
            WHERE s.channel_id = channels.id AND s.ended IS NULL
          );
        CREATE INDEX channels_watched ON channels (id) WHERE members > 0;
        CREATE INDEX channels_closed ON channels (id) WHERE closed > 0;
        CREATE INDEX channels_idle ON channels (id) WHERE members = 0;

        -- saved: when; 0: before this was kept.
        ALTER TABLE subscriptions ADD COLUMN saved BIGINT NOT NULL DEFAULT 0;
        DROP INDEX subscriptions_by_channel;
        CREATE INDEX subscriptions_by_channel ON subscriptions (channel_id, owner)
          WHERE ended IS NULL;
        -- The subscriptions, with where they have ended: read this where `ended` matters.
        CREATE VIEW memberships AS
          SELECT s.id, s.container, s.environment, s.owner, s.database_id, s.subscription_id,
            s.channel_id, s.since, s.body, s.saved,
            coalesce(s.ended, CASE WHEN s.since < c.closed THEN s.since + 1 END) AS ended
          FROM subscriptions s JOIN channels c ON c.id = s.channel_id;
        DROP INDEX subscriptions_by_owner;
        CREATE INDEX subscriptions_by_owner
          ON subscriptions (owner, container, environment, channel_id, since);
        CREATE INDEX subscriptions_ended ON subscriptions (id) WHERE ended IS NOT NULL;
        CREATE INDEX subscriptions_ended_by_channel
          ON subscriptions (channel_id, ended) WHERE ended IS NOT NULL;

        -- The newest event that is forgotten of a user's subscriptions whose rows are removed.
        CREATE TABLE feed_floors (
          owner TEXT NOT NULL,
          container TEXT NOT NULL,
          environment INTEGER NOT NULL,
          event_id INTEGER NOT NULL,
          PRIMARY KEY (owner, container, environment)
        ) WITHOUT ROWID;

        -- Events in the order in which they were stored. batch: the first event of the same call. The
        -- newest row is never removed, so that no number is given twice.
        CREATE TABLE event_rows (
          id INTEGER PRIMARY KEY NOT NULL,
          batch INTEGER NOT NULL,
          channel_id INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          committed BIGINT NOT NULL,
          origin_user TEXT NOT NULL,
          origin_device TEXT NOT NULL,
          body BLOB NOT NULL
        );
        INSERT INTO event_rows
          (batch, channel_id, sequence, committed, origin_user, origin_device, body)
          SELECT 0, channel_id, sequence, committed, origin_user, origin_device, body
          FROM events ORDER BY committed, channel_id, sequence;
        UPDATE event_rows SET batch = id;
        DROP TABLE events;
        ALTER TABLE event_rows RENAME TO events;
        CREATE UNIQUE INDEX events_by_number ON events (channel_id, sequence);

        -- Notifications that were marked read, in that order; the device that did it. The newest row is
        -- never removed.
        CREATE TABLE read_mark_rows (
          id INTEGER PRIMARY KEY NOT NULL,
          owner TEXT NOT NULL,
          container TEXT NOT NULL,
          environment INTEGER NOT NULL,
          channel_id INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          device TEXT NOT NULL,
          marked BIGINT NOT NULL
        );
        INSERT INTO read_mark_rows
          (owner, container, environment, channel_id, sequence, device, marked)
          SELECT m.owner, d.container, d.environment, m.channel_id, m.sequence, '', 0
          FROM read_marks m JOIN channels c ON c.id = m.channel_id
            JOIN databases d ON d.id = c.database_id;
        DROP TABLE read_marks;
        ALTER TABLE read_mark_rows RENAME TO read_marks;
        CREATE UNIQUE INDEX read_marks_by_number ON read_marks (owner, channel_id, sequence);
        CREATE INDEX read_marks_by_event ON read_marks (channel_id, sequence);
        CREATE INDEX read_marks_by_owner ON read_marks (owner, container, environment, id);

        -- What users set their badges to, and the newest event then: later ones add to it.
        CREATE TABLE badges (
          owner TEXT NOT NULL,
          container TEXT NOT NULL,
          environment INTEGER NOT NULL,
          value INTEGER NOT NULL,
          event_id INTEGER NOT NULL,
          PRIMARY KEY (owner, container, environment)
        ) WITHOUT ROWID;

        -- A device had a channel's events up to a number in pages of the log.
        CREATE TABLE fetches (
          channel_id INTEGER NOT NULL,
          owner TEXT NOT NULL,
          device TEXT NOT NULL,
          sequence INTEGER NOT NULL,
          fetched BIGINT NOT NULL,
          PRIMARY KEY (channel_id, owner, device, sequence)
        ) WITHOUT ROWID;
        CREATE INDEX fetches_by_event ON fetches (channel_id, sequence);

        -- Groups of devices that share the work on notifications. Of each channel they have got all up
        -- to a position.
        CREATE TABLE work_groups (
          id INTEGER PRIMARY KEY NOT NULL,
          owner TEXT NOT NULL,
          container TEXT NOT NULL,
          environment INTEGER NOT NULL,
          name TEXT NOT NULL,
          UNIQUE (owner, container, environment, name)
        );
        CREATE TABLE work_positions (
          group_id INTEGER NOT NULL,
          channel_id INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          PRIMARY KEY (group_id, channel_id)
        ) WITHOUT ROWID;
        CREATE INDEX work_positions_by_channel ON work_positions (channel_id);
        -- number: rises with each lease of the event by the group. settled: since when it is done.
        CREATE TABLE work_leases (
          group_id INTEGER NOT NULL,
          channel_id INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          device TEXT NOT NULL,
          number INTEGER NOT NULL,
          leased BIGINT NOT NULL,
          expires BIGINT NOT NULL,
          settled BIGINT,
          PRIMARY KEY (group_id, channel_id, sequence)
        ) WITHOUT ROWID;
        CREATE INDEX work_leases_by_event ON work_leases (channel_id, sequence);
        CREATE INDEX work_leases_open ON work_leases (group_id, expires) WHERE settled IS NULL;

        -- How often a user's control topic was replaced.
        CREATE TABLE control_epochs (
          owner TEXT NOT NULL,
          container TEXT NOT NULL,
          environment INTEGER NOT NULL,
          epoch INTEGER NOT NULL,
          PRIMARY KEY (owner, container, environment)
        ) WITHOUT ROWID;
        """
    ),
  ]
}
