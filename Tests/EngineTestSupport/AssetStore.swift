internal import TidingsEngine
package import TidingsModel
internal import TidingsSQL

/// A look at the rows of assets.
package final class AssetStore: EngineHarness {
  package static let retentionMilliseconds: Int64 = 24 * 3_600_000

  /// A store in which it is this time, in milliseconds since 1970.
  package init(now: Int64 = Timestamp.now.millisecondsSince1970) throws {
    try super.init(time: now)
  }

  package var now: Int64 { time }
  package func advance(by milliseconds: Int64) { time += milliseconds }

  package static func database(_ owner: String = "ada") -> DatabaseID {
    DatabaseID(container: "default", environment: .development, scope: .private, owner: owner)
  }

  /// When each asset was released, 0 for one that is named; by checksum.
  package func released(_ owner: String = "ada") throws -> [[UInt8]: Int64] {
    let rows = try connection.prepare(
      """
      SELECT checksum, coalesce(released, 0) FROM assets
      JOIN databases ON id = database_id WHERE owner = ?1
      """
    )
    rows.bind(owner, at: 1)
    var released: [[UInt8]: Int64] = [:]
    try rows.forEachRow { released[rows.bytes(0)] = rows.int64(1) }
    return released
  }

  /// How many rows say that a record names an asset.
  package func referenceCount() throws -> Int64 { try count("asset_references") }

  /// How many rows a table has.
  package func count(_ table: String) throws -> Int64 {
    try number("SELECT count(*) FROM \(table)")
  }
}
