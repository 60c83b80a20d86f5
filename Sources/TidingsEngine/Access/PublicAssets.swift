internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Which assets of a public database a user may have: those that the user uploaded, and those that a
/// record names which the user may read.
///
/// Each answer takes a few look-ups: one for the upload, and at most two for each record type whose
/// records name the asset, however many records do.
final class PublicAssets {
  /// What gives a user an asset.
  enum Claim: Hashable {
    /// The user sent its bytes to the database.
    case upload
    /// The user may read a record that names it.
    case record
  }

  /// Records from before their creators were noted beside their assets, that are looked at.
  private static let oldRecordsMax: Int64 = 100

  private let codec: BodyCodec
  private let selectUpload: any SQLStatement
  private let selectNextType: any SQLStatement
  private let selectOfCreator: any SQLStatement
  private let selectOld: any SQLStatement

  init(_ connection: any SQLConnection, codec: BodyCodec) throws {
    self.codec = codec
    selectUpload = try connection.prepare(
      "SELECT 1 FROM asset_uploads WHERE database_id = ?1 AND checksum = ?2 AND user = ?3"
    )
    selectNextType = try connection.prepare(
      """
      SELECT record_type FROM asset_references
      WHERE database_id = ?1 AND checksum = ?2 AND record_type > ?3 ORDER BY record_type LIMIT 1
      """
    )
    selectOfCreator = try connection.prepare(
      """
      SELECT 1 FROM asset_references
      WHERE database_id = ?1 AND checksum = ?2 AND record_type = ?3 AND creator = ?4 LIMIT 1
      """
    )
    selectOld = try connection.prepare(
      """
      SELECT r.body FROM asset_references AS a
      JOIN records AS r ON r.zone_id = a.zone_id AND r.name = a.name
      WHERE a.database_id = ?1 AND a.checksum = ?2 AND a.record_type = ?3 AND a.creator IS NULL
        AND r.body IS NOT NULL
      LIMIT ?4
      """
    )
  }

  /// What gives a user an asset; `nil`: nothing does, and to the user it is not there.
  ///
  /// - Parameters:
  ///   - checksum: The asset's.
  ///   - database: The number of the public database.
  ///   - user: The user; empty: somebody without an account.
  ///   - readable: Which records of a type the user may read.
  /// - Returns: An upload, rather than a record.
  /// - Throws: `SQLError`; what `readable` throws.
  func claim(
    _ checksum: [UInt8],
    inDatabase database: Int64,
    of user: String,
    readable: (_ recordType: String) throws -> TypeRights.Readable
  ) throws -> Claim? {
    if !user.isEmpty, try has(selectUpload, database, checksum, user) { return .upload }
    var type = ""
    while let next = try nextType(database, checksum, after: type) {
      type = next
      switch try readable(type) {
      case .all: return .record
      case .own:
        if try isNamed(checksum, inDatabase: database, byRecordOf: user, ofType: type) {
          return .record
        }
      case .none: continue
      }
    }
    return nil
  }

  private func has(
    _ statement: any SQLStatement,
    _ database: Int64,
    _ checksum: [UInt8],
    _ text: String
  ) throws(SQLError) -> Bool {
    statement.bind(database, at: 1)
    statement.bind(checksum, at: 2)
    statement.bind(text, at: 3)
    defer { statement.reset() }
    return try statement.step()
  }

  private func nextType(
    _ database: Int64,
    _ checksum: [UInt8],
    after type: String
  ) throws(SQLError) -> String? {
    selectNextType.bind(database, at: 1)
    selectNextType.bind(checksum, at: 2)
    selectNextType.bind(type, at: 3)
    defer { selectNextType.reset() }
    return try selectNextType.step() ? selectNextType.string(0) : nil
  }

  private func isNamed(
    _ checksum: [UInt8],
    inDatabase database: Int64,
    byRecordOf user: String,
    ofType type: String
  ) throws -> Bool {
    guard !user.isEmpty else { return false }
    selectOfCreator.bind(user, at: 4)
    if try has(selectOfCreator, database, checksum, type) { return true }
    var isFound = false
    selectOld.bind(database, at: 1)
    selectOld.bind(checksum, at: 2)
    selectOld.bind(type, at: 3)
    selectOld.bind(Self.oldRecordsMax, at: 4)
    try selectOld.forEachRow {
      try selectOld.withBytes(0) { body in
        if try codec.decodeRecord(body).creator == user { isFound = true }
      }
    }
    return isFound
  }
}
