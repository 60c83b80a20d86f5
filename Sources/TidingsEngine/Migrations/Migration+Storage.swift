internal import TidingsSQL

extension Migration {
  /// One account of all that is stored for a user, and the content of events once for each change.
  static let storage = Migration(
    number: 10,
    name: "storage",
    sql: """
      -- content: null: the body is the whole notification, as earlier versions stored it; 0: the body
      -- lacks what the channel's definition says; else also the values, which this row of
      -- event_contents has.
      ALTER TABLE events ADD COLUMN content INTEGER;
      -- The fields of a record that the events of one change carry, stored once for all channels. id: that of the
      -- first of these events; last_event: that of the last. fields_bytes_max: the bound on values
      -- then. database_id: whose owner pays.
      CREATE TABLE event_contents (
        id INTEGER PRIMARY KEY NOT NULL,
        database_id INTEGER NOT NULL,
        last_event INTEGER NOT NULL,
        is_deletion INTEGER NOT NULL,
        fields_bytes_max INTEGER NOT NULL,
        body BLOB NOT NULL
      );

      -- payer: the user who pays for the asset while no record names it; empty: the container; null:
      -- nobody, it is about to go. was_named: a record named it; then it goes when its payer needs room.
      ALTER TABLE assets ADD COLUMN payer TEXT;
      ALTER TABLE assets ADD COLUMN was_named INTEGER NOT NULL DEFAULT 0;
      UPDATE assets SET payer = (SELECT d.owner FROM databases d WHERE d.id = assets.database_id);
      CREATE INDEX assets_reclaimable ON assets (payer, released)
        WHERE released IS NOT NULL AND was_named = 1;

      -- The names that a user's devices gave. seen: when a device wrote last, to the day.
      CREATE TABLE devices (
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        seen BIGINT NOT NULL,
        PRIMARY KEY (owner, name)
      ) WITHOUT ROWID;
      CREATE INDEX devices_by_time ON devices (seen);

      -- Whose saves taught development the type, by user; no row: everybody sees it.
      CREATE TABLE type_users (
        container TEXT NOT NULL,
        environment INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        user TEXT NOT NULL,
        PRIMARY KEY (container, environment, record_type, user)
      ) WITHOUT ROWID;

      -- From now on usage.bytes is all that is stored for the owner. What belongs to no container, or
      -- is not worth a look at it, stands under an empty one.
      INSERT INTO usage (owner, container, records, bytes)
        SELECT owner, container, 0, sum(bytes) FROM (
          SELECT d.owner, d.container,
            sum(length(r.name) + length(r.record_type)) AS bytes
          FROM records r JOIN zones z ON z.id = r.zone_id JOIN databases d ON d.id = z.database_id
          WHERE r.body IS NULL GROUP BY d.owner, d.container
          UNION ALL
          SELECT d.owner, d.container, sum(a.size)
          FROM assets a JOIN databases d ON d.id = a.database_id
          WHERE a.released IS NOT NULL GROUP BY d.owner, d.container
          UNION ALL
          SELECT d.owner, d.container,
            sum(length(e.body) + length(e.origin_user) + length(e.origin_device) + 96)
          FROM events e JOIN channels c ON c.id = e.channel_id
          JOIN databases d ON d.id = c.database_id GROUP BY d.owner, d.container
          UNION ALL
          SELECT owner, container, sum(2 * length(body) + 256) FROM subscriptions
          GROUP BY owner, container
          UNION ALL
          SELECT d.owner, d.container, sum(2 * length(z.name) + 96) FROM (
            SELECT database_id, name FROM zones WHERE name <> '_defaultZone'
            UNION ALL SELECT database_id, name FROM deleted_zones
          ) AS z JOIN databases d ON d.id = z.database_id GROUP BY d.owner, d.container
          UNION ALL
          SELECT owner, '', sum(length(response) + length(idempotency_key) + 96) FROM answers
          GROUP BY owner
          UNION ALL
          SELECT owner, '', sum(length(token) + length(device) + 96) FROM client_tokens
          GROUP BY owner
          UNION ALL
          SELECT owner, '', sum(length(device) + 96) FROM fetches GROUP BY owner
        ) AS parts
        WHERE true GROUP BY owner, container
        ON CONFLICT (owner, container) DO UPDATE SET bytes = usage.bytes + excluded.bytes;
      """
  )
}
