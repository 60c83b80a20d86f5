extension StoreTables {
  /// Databases and zones, and zones that are gone.
  static let zones = """
    -- zone_floor: the highest number of any deleted zone, from which new zones go on, so that no change tag and no
    -- token of an old zone fits a new one of the same name. feed_floor: the number of the newest zone deletion that is
    -- forgotten; a database token from before it has expired.
    CREATE TABLE databases (
      id INTEGER PRIMARY KEY NOT NULL,
      zone_floor BIGINT NOT NULL,
      container TEXT NOT NULL,
      environment BIGINT NOT NULL,
      scope BIGINT NOT NULL,
      owner TEXT NOT NULL,
      feed_floor BIGINT NOT NULL DEFAULT 0,
      UNIQUE (container, environment, scope, owner)
    );
    CREATE INDEX databases_by_owner ON databases (owner, id);

    -- head: the number of the zone's last change. changed: the database's number at that change, each given once, whose
    -- highest is the database's head. tombstone_floor: the number of the newest tombstone of the zone that is
    -- forgotten; a zone token from before it has expired. records, bytes: what the zone takes of its owner's quota:
    -- records without tombstones; bytes of records and of the assets that they name, each once for each record.
    CREATE TABLE zones (
      id INTEGER PRIMARY KEY NOT NULL,
      database_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      head BIGINT NOT NULL,
      created BIGINT NOT NULL,
      changed BIGINT NOT NULL DEFAULT 0,
      tombstone_floor BIGINT NOT NULL DEFAULT 0,
      records BIGINT NOT NULL DEFAULT 0,
      bytes BIGINT NOT NULL DEFAULT 0,
      created_nanos BIGINT NOT NULL DEFAULT 0,
      UNIQUE (database_id, name)
    );
    CREATE UNIQUE INDEX zones_by_change ON zones (database_id, changed);

    -- Zones that are gone. changed: the database's number at the deletion.
    CREATE TABLE deleted_zones (
      database_id BIGINT NOT NULL,
      name TEXT NOT NULL,
      changed BIGINT NOT NULL,
      reason BIGINT NOT NULL,
      deleted BIGINT NOT NULL,
      PRIMARY KEY (database_id, name)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX deleted_zones_by_change ON deleted_zones (database_id, changed);
    CREATE INDEX deleted_zones_by_time ON deleted_zones (deleted);

    -- Zones that were deleted and still have rows, in the order of the deletions: what is there is to be removed, and
    -- no other zone gets the number before that is done. deleted: the time of day; deleted_steady: the same on the
    -- store's own scale. batch: the first event of the call that deleted the zone, or of the removal; 0: there is none.
    CREATE TABLE zone_removals (
      id INTEGER PRIMARY KEY NOT NULL,
      zone_id BIGINT NOT NULL UNIQUE,
      database_id BIGINT NOT NULL,
      zone_name TEXT NOT NULL,
      deleted BIGINT NOT NULL,
      deleted_steady BIGINT NOT NULL,
      origin_user TEXT NOT NULL,
      origin_device TEXT NOT NULL,
      batch BIGINT NOT NULL,
      deleted_nanos BIGINT NOT NULL DEFAULT 0
    );
    CREATE INDEX zone_removals_by_name ON zone_removals (database_id, zone_name, id);
    CREATE INDEX zone_removals_by_database ON zone_removals (database_id, id);
    CREATE INDEX zone_removals_by_batch ON zone_removals (batch) WHERE batch > 0;

    -- The record types of which records were removed, where zone or database channels watch types.
    CREATE TABLE zone_removal_types (
      removal_id BIGINT NOT NULL,
      record_type TEXT NOT NULL,
      PRIMARY KEY (removal_id, record_type)
    ) WITHOUT ROWID;

    -- Channels whose subscription was saved or deleted while zones of their database were being removed. They fire for
    -- removals after after_id up to until_id, if not null; then the subscription with the number subscription_id was
    -- deleted, and they fire for nothing else. The row has no effect once the removal done_id is done.
    CREATE TABLE zone_removal_channels (
      channel_id INTEGER PRIMARY KEY NOT NULL,
      after_id BIGINT NOT NULL,
      until_id BIGINT,
      subscription_id BIGINT,
      done_id BIGINT NOT NULL
    );
    CREATE INDEX zone_removal_channels_by_removal ON zone_removal_channels (done_id);
    CREATE INDEX zone_removal_channels_by_subscription ON zone_removal_channels (subscription_id)
      WHERE subscription_id IS NOT NULL;
    """
}
