internal import TidingsSQL

extension Migration {
  /// Channels of what not everybody may read.
  static let readers = Migration(
    number: 7,
    name: "readers",
    sql: """
      -- reader: the only user who hears the channel, since not everybody may read what it watches; it
      -- fires if the user may read the record then. Empty: anyone.
      ALTER TABLE channels ADD COLUMN reader TEXT NOT NULL DEFAULT '';
      """
  )
}
