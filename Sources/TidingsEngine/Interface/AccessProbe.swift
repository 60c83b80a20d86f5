package import TidingsModel

/// What authorization adds to a fetch of a record, apart from the rest, to be measured.
package struct AccessProbe {
  private let engine: Engine
  private let id: RecordID
  private let recordType: String
  private let creator: String
  private let database: DatabaseID
  private let zone: ZoneEntry

  /// A probe for a record that exists.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - record: The record as it is stored; in the shared database its zone has an owner.
  ///   - database: The database of the caller.
  /// - Throws: `ItemError` `zoneNotFound`; `SQLError`.
  package init(_ engine: Engine, of record: Record, in database: DatabaseID) throws {
    self.engine = engine
    self.database = database
    id = record.recordID
    recordType = record.recordType
    creator = record.creator
    let location = try database.location(of: id.zoneID, for: database.owner)
    guard let stored = try engine.catalog.database(location.database),
      let zone = try engine.catalog.zone(location.zone, in: stored)
    else { throw ItemError(.zoneNotFound, "the probe's zone does not exist") }
    self.zone = zone
  }

  /// Whether a caller may read the record.
  package func mayRead(_ caller: Caller) throws -> Bool {
    guard let access = try engine.access(of: caller, to: database) else { return true }
    return try access.canRead(id, of: recordType, in: zone) { creator }
  }
}
