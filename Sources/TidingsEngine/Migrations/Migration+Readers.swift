internal import TidingsSQL

extension Migration {
  /// What not everybody may read: channels, and what tells whose records were.
  static let readers = Migration(
    number: 7,
    name: "readers",
    sql: """
      -- reader: the only user who hears the channel, since not everybody may read what it watches; it
      -- fires if the user may read the record then. Empty: anyone.
      ALTER TABLE channels ADD COLUMN reader TEXT NOT NULL DEFAULT '';
      CREATE INDEX channels_by_reader ON channels (reader, id) WHERE reader <> '';
      -- creator: of a tombstone in a public database, the user who created the record; null: not known.
      ALTER TABLE records ADD COLUMN creator TEXT;
      -- creator: of an event for a reader, the user who created the record; null: not known, or the
      -- event tells of a zone.
      ALTER TABLE events ADD COLUMN creator TEXT;

      -- Of a record in a public database, its type and the user who created it (empty: nobody knows;
      -- null: not noted yet): who may read one of the records may have the asset.
      ALTER TABLE asset_references ADD COLUMN record_type TEXT;
      ALTER TABLE asset_references ADD COLUMN creator TEXT;
      UPDATE asset_references SET record_type = (
          SELECT r.record_type FROM records AS r
          WHERE r.zone_id = asset_references.zone_id AND r.name = asset_references.name
        )
        WHERE database_id IN (SELECT id FROM databases WHERE scope = 1);
      CREATE INDEX asset_references_by_type
        ON asset_references (database_id, checksum, record_type, creator)
        WHERE record_type IS NOT NULL;
      -- Who sent the bytes of an asset to a public database: knowing its checksum is not enough.
      CREATE TABLE asset_uploads (
        database_id INTEGER NOT NULL,
        checksum BLOB NOT NULL,
        user TEXT NOT NULL,
        PRIMARY KEY (database_id, checksum, user)
      ) WITHOUT ROWID;
      """
  )
}
