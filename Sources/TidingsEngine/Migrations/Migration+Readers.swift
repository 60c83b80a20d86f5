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
      """
  )
}
