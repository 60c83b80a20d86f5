internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQL

/// The contents of the assets of a store that no server uses, to be copied from one store to another.
///
/// Which there are is in `AssetInventory`, the same for all stores.
protocol StoredAssets {
  /// Whether a content is there, with that size.
  ///
  /// - Throws: `FileError`, `SQLError`.
  func has(_ asset: AssetInventory.Row) throws -> Bool

  /// Reads a content in pieces, from its begin.
  ///
  /// - Throws: `FileError`, `SQLError`, what `body` throws; a content that is missing is one without pieces.
  func forEachPiece(
    of asset: AssetInventory.Row,
    _ body: ([UInt8]) throws -> Void
  ) throws

  /// Writes a content, all of it or nothing.
  ///
  /// - Parameters:
  ///   - asset: Its checksum and its size, which are compared.
  ///   - read: Calls a closure with each piece.
  /// - Throws: `StartError` if the pieces are not the asset; `FileError`, `SQLError`, what `read` throws.
  func write(
    _ asset: AssetInventory.Row,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws
}

extension StoredAssets {
  /// Copies a content from another store, unless it is here.
  ///
  /// - Throws: As `write` and `forEachPiece`.
  func copy(_ asset: AssetInventory.Row, from other: any StoredAssets) throws {
    if try has(asset) { return }
    try write(asset) { try other.forEachPiece(of: asset, $0) }
  }
}

/// Contents in files of a folder.
struct StoredAssetFiles: StoredAssets {
  private static let pieceBytes = 256 << 10

  let folder: AssetFolder

  func has(_ asset: AssetInventory.Row) throws -> Bool {
    try Folder.status(folder.filePath(asset.checksum))?.size == asset.size
  }

  func forEachPiece(
    of asset: AssetInventory.Row,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    guard try has(asset) else { return }
    let file = try File(path: folder.filePath(asset.checksum), .read)
    var offset: UInt64 = 0
    while offset < asset.size {
      let count = Int(min(UInt64(Self.pieceBytes), asset.size - offset))
      let piece = try file.read(at: offset, count: count)
      if piece.isEmpty { return }
      try body(piece)
      offset += UInt64(piece.count)
    }
  }

  func write(
    _ asset: AssetInventory.Row,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let name = asset.checksum.hexadecimal + ".part"
    try Folder.remove(folder.partPath(name))
    let file = try File(path: folder.partPath(name), .create)
    var content = CopiedContent()
    try read { piece in
      try file.write(piece[...], at: content.bytes)
      content.add(piece)
    }
    guard content.isWhole(asset) else {
      try Folder.remove(folder.partPath(name))
      throw StartError.damaged(asset)
    }
    try file.synchronize()
    try folder.position(name, as: asset.checksum)
  }
}

/// Contents in the tables of a PostgreSQL store.
struct StoredAssetRows: StoredAssets {
  private let connection: any SQLConnection
  private let table: AssetContentTable

  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection) throws(SQLError) {
    self.connection = connection
    table = try AssetContentTable(connection)
  }

  func has(_ asset: AssetInventory.Row) throws -> Bool {
    try table.content(asset.checksum)?.size == asset.size
  }

  func forEachPiece(
    of asset: AssetInventory.Row,
    _ body: ([UInt8]) throws -> Void
  ) throws {
    guard let content = try table.content(asset.checksum) else { return }
    var offset: UInt64 = 0
    while offset < content.size {
      let piece = try table.read(
        content.number,
        at: offset,
        count: AssetContentTable.pieceBytesMax
      )
      if piece.isEmpty { return }
      try body(piece)
      offset += UInt64(piece.count)
    }
  }

  func write(
    _ asset: AssetInventory.Row,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let start = SteadyTime(milliseconds: 0)
    try connection.transaction {
      var content = CopiedContent()
      var arriving = try table.begin(
        "copy-" + asset.checksum.hexadecimal,
        Asset(checksum: asset.checksum, size: asset.size),
        by: "",
        at: start
      )
      try read { piece in
        try table.append(piece[...], to: &arriving, at: start)
        content.add(piece)
      }
      guard content.isWhole(asset) else { throw StartError.damaged(asset) }
      try table.setVerified(arriving)
      _ = try table.claim(asset.checksum)
    }
  }
}

/// What has been copied of a content.
private struct CopiedContent {
  private var hash = SHA256()
  private(set) var bytes: UInt64 = 0

  mutating func add(_ piece: [UInt8]) {
    hash.update(piece[...])
    bytes += UInt64(piece.count)
  }

  func isWhole(_ asset: AssetInventory.Row) -> Bool {
    bytes == asset.size && hash.checksum() == asset.checksum
  }
}

extension StartError {
  fileprivate static func damaged(_ asset: AssetInventory.Row) -> Self {
    StartError(
      "the content of the asset \(asset.checksum.hexadecimal) is missing or damaged: upload it again, or restore it "
        + "from a backup"
    )
  }
}
