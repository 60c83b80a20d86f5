internal import TidingsModel
internal import TidingsSQL

/// Writes what users set their badges to.
final class BadgeTable {
  private let locations: EventPositions
  private let upsert: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    locations = try EventPositions(connection)
    upsert = try connection.prepare(
      """
      INSERT INTO badges (owner, container, environment, value, event_id)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (owner, container, environment)
        DO UPDATE SET value = excluded.value, event_id = excluded.event_id
      """
    )
  }

  /// Sets a badge: what is stored from now on adds to it.
  func set(_ value: Int64, of inbox: Inbox) throws(SQLError) {
    inbox.bind(to: upsert)
    upsert.bind(value, at: 4)
    upsert.bind(try locations.last(), at: 5)
    try upsert.run()
  }
}
