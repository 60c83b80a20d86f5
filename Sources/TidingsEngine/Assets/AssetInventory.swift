public import TidingsSQL

/// All assets that rows of a store name, each content once, in the order of their checksums; for threads
/// beside the loop, on a connection of their own.
public final class AssetInventory {
  /// An asset.
  public struct Row: Hashable, Sendable {
    /// Its SHA-256.
    public let checksum: [UInt8]
    /// Bytes.
    public let size: UInt64
  }

  private static let pageRowsMax: Int64 = 500

  private let selectTotals: any SQLStatement
  private let select: any SQLStatement

  /// An inventory of a store that an engine has opened.
  ///
  /// - Throws: `SQLError`.
  public init(_ connection: any SQLConnection) throws {
    selectTotals = try connection.prepare(
      """
      SELECT count(*), coalesce(sum(size), 0)
      FROM (SELECT max(size) AS size FROM assets GROUP BY checksum) AS contents
      """
    )
    select = try connection.prepare(
      """
      SELECT checksum, max(size) FROM assets WHERE checksum > ?1
      GROUP BY checksum ORDER BY checksum LIMIT ?2
      """
    )
  }

  /// How many there are, and their bytes.
  public func totals() throws(SQLError) -> (count: UInt64, bytes: UInt64) {
    defer { selectTotals.reset() }
    guard try selectTotals.step() else { return (0, 0) }
    return (UInt64(clamping: selectTotals.int64(0)), UInt64(clamping: selectTotals.int64(1)))
  }

  /// The next assets.
  ///
  /// - Parameter checksum: The last one of the page before; empty: from the first.
  /// - Returns: A page; empty at the end.
  /// - Throws: `SQLError`.
  public func page(after checksum: [UInt8]) throws -> [Row] {
    var rows: [Row] = []
    select.bind(checksum, at: 1)
    select.bind(Self.pageRowsMax, at: 2)
    try select.forEachRow {
      rows.append(Row(checksum: select.bytes(0), size: UInt64(clamping: select.int64(1))))
    }
    return rows
  }
}
