internal import TidingsSQL

extension Migration {
  /// Channels that load by themselves, one order of events, read marks, badges, leases.
  static let notifications = Migration(
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
  )
}
