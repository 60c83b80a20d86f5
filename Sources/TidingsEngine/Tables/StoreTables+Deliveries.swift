extension StoreTables {
  /// Targets outside of clients, and what is to be sent to them.
  static let deliveries = """
    -- id: random. identity: a keyed hash of the address, by which the same one is recognized. sealed: the ID of the key
    -- and the sealed address. since_event: events up to this one are older than the target.
    CREATE TABLE delivery_targets (
      id INTEGER PRIMARY KEY NOT NULL,
      owner TEXT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      device TEXT NOT NULL,
      identity BLOB NOT NULL,
      sealed BLOB NOT NULL,
      since_event BIGINT NOT NULL,
      created BIGINT NOT NULL,
      created_nanos BIGINT NOT NULL DEFAULT 0,
      failing_since BIGINT,
      failing_since_nanos BIGINT NOT NULL DEFAULT 0,
      last_error TEXT NOT NULL DEFAULT '',
      UNIQUE (owner, container, environment, device, identity)
    );

    -- channel_id and sequence: of the event; 0: a test. due: when it may be leased. lease: a random number of the lease
    -- that is open; 0: none. given_up: since when it is a dead letter.
    CREATE TABLE deliveries (
      id INTEGER PRIMARY KEY NOT NULL,
      target_id BIGINT NOT NULL,
      channel_id BIGINT NOT NULL,
      sequence BIGINT NOT NULL,
      due BIGINT NOT NULL,
      lease BIGINT NOT NULL DEFAULT 0,
      attempts BIGINT NOT NULL DEFAULT 0,
      created BIGINT NOT NULL,
      created_nanos BIGINT NOT NULL DEFAULT 0,
      given_up BIGINT,
      given_up_nanos BIGINT NOT NULL DEFAULT 0,
      reason TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX deliveries_due ON deliveries (due, id) WHERE given_up IS NULL;
    CREATE INDEX deliveries_by_target ON deliveries (target_id, id);
    CREATE INDEX deliveries_waiting ON deliveries (target_id) WHERE given_up IS NULL;
    CREATE INDEX deliveries_given_up ON deliveries (target_id, id) WHERE given_up IS NOT NULL;
    CREATE INDEX deliveries_given_up_by_time ON deliveries (given_up) WHERE given_up IS NOT NULL;

    -- One row. For all events up to event_id it is known which targets get them, and for the next one for all targets
    -- up to target_id.
    CREATE TABLE delivery_progress (
      id INTEGER PRIMARY KEY NOT NULL,
      event_id BIGINT NOT NULL,
      target_id BIGINT NOT NULL
    );
    """
}
