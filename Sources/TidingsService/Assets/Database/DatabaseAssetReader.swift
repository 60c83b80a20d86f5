internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL

/// A thread that reads contents of assets from the database.
final class DatabaseAssetReader {
  private let connection: any SQLConnection
  private let lookup: AssetLookup
  private let table: AssetContentTable

  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection) throws {
    self.connection = connection
    lookup = try AssetLookup(connection)
    table = try AssetContentTable(connection)
  }

  /// The content of an asset of a database; `nil` when to the user the database does not have it.
  func content(
    of asset: Asset,
    in database: DatabaseID,
    for user: String
  ) throws -> AssetContentTable.Content? {
    try connection.tryAgain {
      guard
        let row = try lookup.readableAsset(asset.checksum, in: database, by: user),
        asset.size == 0 || asset.size == row.size
      else { return nil }
      guard let content = try table.content(asset.checksum), content.size == row.size else {
        throw RPCError(
          .dataLoss,
          "the content of the asset \(asset.checksum.hexadecimal) is missing: upload the asset again, or "
            + "let an operator restore the database"
        )
      }
      return content
    }
  }

  /// Reads bytes of a content.
  ///
  /// - Throws: `RPCError` NOT_FOUND if it was removed meanwhile; `SQLError`.
  func read(
    _ content: AssetContentTable.Content,
    of asset: Asset,
    at offset: UInt64,
    count: Int
  ) throws -> [UInt8] {
    try connection.tryAgain {
      var bytes: [UInt8] = []
      while bytes.count < count {
        let more = try table.read(
          content.number,
          at: offset + UInt64(bytes.count),
          count: count - bytes.count
        )
        if more.isEmpty { break }
        bytes = bytes.isEmpty ? more : bytes + more
      }
      if bytes.count < count, try table.content(asset.checksum) != content {
        throw RPCError(
          .notFound,
          "the asset \(asset.checksum.hexadecimal) was removed while it was downloaded"
        )
      }
      return bytes
    }
  }
}
