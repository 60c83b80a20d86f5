internal import TidingsSQL

extension Migration {
  /// Deleted zones whose rows are removed in pieces.
  static let zoneRemovals = Migration(
    number: 8,
    name: "zone removals",
    sql: """
      -- What the zone takes of its owner's quota: records without tombstones; bytes of records and of the
      -- assets that they name, each once for each record.
      ALTER TABLE zones ADD COLUMN records BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE zones ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
      UPDATE zones SET
        records = (
          SELECT count(*) FROM records r WHERE r.zone_id = zones.id AND r.body IS NOT NULL
        ),
        bytes = coalesce((
          SELECT sum(length(r.body)) FROM records r
          WHERE r.zone_id = zones.id AND r.body IS NOT NULL
        ), 0) + coalesce((
          SELECT sum(a.size) FROM asset_references r
          JOIN assets a ON a.database_id = r.database_id AND a.checksum = r.checksum
          WHERE r.zone_id = zones.id
        ), 0);

      -- Zones that were deleted and still have rows, in the order of the deletions: what is there is
      -- to be removed, and no other zone gets the number before that is done.
      -- deleted: the time of day; deleted_steady: the same on the store's own scale.
      -- batch: the first event of the call that deleted the zone, or of the removal; 0: there is none.
      CREATE TABLE zone_removals (
        id INTEGER PRIMARY KEY NOT NULL,
        zone_id INTEGER NOT NULL UNIQUE,
        database_id INTEGER NOT NULL,
        zone_name TEXT NOT NULL,
        deleted BIGINT NOT NULL,
        deleted_steady BIGINT NOT NULL,
        origin_user TEXT NOT NULL,
        origin_device TEXT NOT NULL,
        batch INTEGER NOT NULL
      );
      CREATE INDEX zone_removals_by_name ON zone_removals (database_id, zone_name, id);
      CREATE INDEX zone_removals_by_database ON zone_removals (database_id, id);
      CREATE INDEX zone_removals_by_batch ON zone_removals (batch) WHERE batch > 0;
      -- The record types of which records were removed, where zone or database channels watch types.
      CREATE TABLE zone_removal_types (
        removal_id INTEGER NOT NULL,
        record_type TEXT NOT NULL,
        PRIMARY KEY (removal_id, record_type)
      ) WITHOUT ROWID;
      -- Channels whose subscription was saved or deleted while zones of their database were being
      -- removed. They fire for removals after after_id up to until_id, if not null; then the
      -- subscription with the number subscription_id was deleted, and they fire for nothing else.
      -- The row has no effect once the removal done_id is done.
      CREATE TABLE zone_removal_channels (
        channel_id INTEGER PRIMARY KEY NOT NULL,
        after_id INTEGER NOT NULL,
        until_id INTEGER,
        subscription_id INTEGER,
        done_id INTEGER NOT NULL
      );
      CREATE INDEX zone_removal_channels_by_removal ON zone_removal_channels (done_id);
      CREATE INDEX zone_removal_channels_by_subscription ON zone_removal_channels (subscription_id)
        WHERE subscription_id IS NOT NULL;
      CREATE INDEX ended_shares_by_zone ON shares (zone_id, id) WHERE ended IS NOT NULL;
      """
  )
}
