extension StoreTables {
  /// Events, and what devices did with their notifications.
  static let notifications = """
    -- Events in the order in which they were stored. batch: the first event of the same call. The newest row is never
    -- removed, so that no number is assigned twice. creator: of an event for a reader, the user who created the record;
    -- null: not known, or the event concerns a zone. content: 0: the body lacks what the channel's definition says;
    -- else also the values, which this row of event_contents has.
    CREATE TABLE events (
      id INTEGER PRIMARY KEY NOT NULL,
      batch BIGINT NOT NULL,
      channel_id BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      committed BIGINT NOT NULL,
      origin_user TEXT NOT NULL,
      origin_device TEXT NOT NULL,
      creator TEXT,
      content BIGINT NOT NULL,
      body BLOB NOT NULL
    );
    CREATE UNIQUE INDEX events_by_number ON events (channel_id, sequence);

    -- The fields of a record that the events of one change carry, stored once for all channels. id: that of the first
    -- of these events; last_event: that of the last. fields_bytes_max: the bound on values then. database_id: whose
    -- owner pays.
    CREATE TABLE event_contents (
      id INTEGER PRIMARY KEY NOT NULL,
      database_id BIGINT NOT NULL,
      last_event BIGINT NOT NULL,
      is_deletion BIGINT NOT NULL,
      fields_bytes_max BIGINT NOT NULL,
      body BLOB NOT NULL
    );

    -- Notifications that were marked read, in that order; the device that did it. The newest row is never removed.
    CREATE TABLE read_marks (
      id INTEGER PRIMARY KEY NOT NULL,
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      channel_id BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      device TEXT NOT NULL,
      marked BIGINT NOT NULL,
      marked_nanos BIGINT NOT NULL DEFAULT 0
    );
    CREATE UNIQUE INDEX read_marks_by_number ON read_marks (owner, channel_id, sequence);
    CREATE INDEX read_marks_by_event ON read_marks (channel_id, sequence);
    CREATE INDEX read_marks_by_owner ON read_marks (owner, container, environment, id);

    -- What users set their badges to, and the newest event then: later ones add to it.
    CREATE TABLE badges (
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      value BIGINT NOT NULL,
      event_id BIGINT NOT NULL,
      PRIMARY KEY (owner, container, environment)
    ) WITHOUT ROWID;

    -- A device had a channel's events up to a number in pages of the log.
    CREATE TABLE fetches (
      channel_id BIGINT NOT NULL,
      owner TEXT NOT NULL,
      device TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      fetched BIGINT NOT NULL,
      fetched_nanos BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (channel_id, owner, device, sequence)
    ) WITHOUT ROWID;
    CREATE INDEX fetches_by_event ON fetches (channel_id, sequence);

    -- How often a user's control topic was replaced.
    CREATE TABLE control_epochs (
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      epoch BIGINT NOT NULL,
      PRIMARY KEY (owner, container, environment)
    ) WITHOUT ROWID;

    -- The names that a user's devices gave. seen: when a device wrote last, to the day.
    CREATE TABLE devices (
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      seen BIGINT NOT NULL,
      PRIMARY KEY (owner, name)
    ) WITHOUT ROWID;
    CREATE INDEX devices_by_time ON devices (seen);

    -- Groups of devices that share the work on notifications. Of each channel they have got all up to a position.
    CREATE TABLE work_groups (
      id INTEGER PRIMARY KEY NOT NULL,
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      name TEXT NOT NULL,
      UNIQUE (owner, container, environment, name)
    );

    CREATE TABLE work_positions (
      group_id BIGINT NOT NULL,
      channel_id BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      PRIMARY KEY (group_id, channel_id)
    ) WITHOUT ROWID;
    CREATE INDEX work_positions_by_channel ON work_positions (channel_id);

    -- number: rises with each lease of the event by the group. settled: since when it is done.
    CREATE TABLE work_leases (
      group_id BIGINT NOT NULL,
      channel_id BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      device TEXT NOT NULL,
      number BIGINT NOT NULL,
      leased BIGINT NOT NULL,
      expires BIGINT NOT NULL,
      settled BIGINT,
      leased_nanos BIGINT NOT NULL DEFAULT 0,
      settled_nanos BIGINT NOT NULL DEFAULT 0,
      PRIMARY KEY (group_id, channel_id, sequence)
    ) WITHOUT ROWID;
    CREATE INDEX work_leases_by_event ON work_leases (channel_id, sequence);
    CREATE INDEX work_leases_open ON work_leases (group_id, expires) WHERE settled IS NULL;
    """
}
