extension StoreTables {
  /// Subscriptions, and the channels that those which fire together share.
  static let subscriptions = """
    -- definition_key: a hash of all that makes subscriptions fire together. definition: what these ask for, without
    -- their names; watch: the same as the channel index wants it, made when it is missing. kind: 1 query, 2 record
    -- zone, 3 database. members: how many subscriptions are active. closed: subscriptions from before that number have
    -- ended with the event after their `since`, whatever their rows say; 0: their rows say it all. floor, floor_event:
    -- the number and the id of the newest event that is forgotten; 0: none is. reader: the only user who is notified by the
    -- channel, since not everybody may read what it watches; it fires if the user may read the record then. Empty:
    -- anyone.
    CREATE TABLE channels (
      id INTEGER PRIMARY KEY NOT NULL,
      database_id BIGINT NOT NULL,
      definition_key BLOB NOT NULL UNIQUE,
      topic BLOB NOT NULL,
      head BIGINT NOT NULL,
      kind BIGINT NOT NULL DEFAULT 1,
      members BIGINT NOT NULL DEFAULT 0,
      closed BIGINT NOT NULL DEFAULT 0,
      watch BLOB,
      definition BLOB,
      floor BIGINT NOT NULL DEFAULT 0,
      floor_event BIGINT NOT NULL DEFAULT 0,
      reader TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX channels_watched ON channels (id) WHERE members > 0;
    CREATE INDEX channels_closed ON channels (id) WHERE closed > 0;
    CREATE INDEX channels_idle ON channels (id) WHERE members = 0;
    CREATE INDEX channels_by_database ON channels (database_id, id);
    CREATE INDEX channels_by_reader ON channels (reader, id) WHERE reader <> '';

    -- A subscription sees its channel's events after `since` and, once it has ended, up to `ended`. saved: when. The
    -- indexes of those that are active, and of those that are not, keep looks at what a user has from going through
    -- what the user had.
    CREATE TABLE subscriptions (
      id INTEGER PRIMARY KEY NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      owner TEXT NOT NULL,
      database_id BIGINT NOT NULL,
      subscription_id TEXT NOT NULL,
      channel_id BIGINT NOT NULL,
      since BIGINT NOT NULL,
      ended BIGINT,
      body BLOB NOT NULL,
      saved BIGINT NOT NULL DEFAULT 0,
      saved_nanos BIGINT NOT NULL DEFAULT 0
    );
    CREATE UNIQUE INDEX subscriptions_by_name ON subscriptions (owner, database_id, subscription_id)
      WHERE ended IS NULL;
    CREATE INDEX subscriptions_by_channel ON subscriptions (channel_id, owner) WHERE ended IS NULL;
    CREATE INDEX subscriptions_by_owner
      ON subscriptions (owner, container, environment, channel_id, since);
    CREATE INDEX subscriptions_ended ON subscriptions (id) WHERE ended IS NOT NULL;
    CREATE INDEX subscriptions_ended_by_channel ON subscriptions (channel_id, ended)
      WHERE ended IS NOT NULL;
    CREATE INDEX subscriptions_active_by_owner
      ON subscriptions (owner, container, environment, channel_id) WHERE ended IS NULL;
    CREATE INDEX subscriptions_ended_by_owner ON subscriptions (owner, container, environment)
      WHERE ended IS NOT NULL;

    -- The subscriptions, with where they have ended: read this where `ended` matters.
    CREATE VIEW memberships AS
      SELECT s.id, s.container, s.environment, s.owner, s.database_id, s.subscription_id,
        s.channel_id, s.since, s.body, s.saved,
        coalesce(s.ended, CASE WHEN s.since < c.closed THEN s.since + 1 END) AS ended
      FROM subscriptions s JOIN channels c ON c.id = s.channel_id;

    -- The newest event that is forgotten of a user's subscriptions whose rows are removed.
    CREATE TABLE feed_floors (
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      event_id BIGINT NOT NULL,
      PRIMARY KEY (owner, container, environment)
    ) WITHOUT ROWID;
    """
}
