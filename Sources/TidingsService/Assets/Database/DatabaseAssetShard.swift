internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQL

/// A thread that writes contents of assets to the database, on a connection of its own: those whose checksums belong to
/// it, so that what it knows of their hashes is of use.
final class DatabaseAssetShard {
  /// How far an upload is.
  enum Step: Sendable {
    /// So many bytes are stored.
    case stored(UInt64)
    /// The asset is there.
    case complete
    /// The content is durable: write the row.
    case verified
    /// The bytes are not the asset, and were thrown away.
    case mismatched(size: UInt64, checksum: [UInt8])
  }

  /// The hash of an upload so far.
  private struct Running {
    /// Of which: others of the same name may follow.
    var number: Int64 = 0
    var hash = SHA256()
    var bytes: UInt64 = 0

    mutating func add(_ more: ArraySlice<UInt8>) {
      hash.update(more)
      bytes += UInt64(more.count)
    }
  }

  /// Most uploads whose hashes are remembered; others are read again when they are complete.
  private static let runningMax = 64

  private let connection: any SQLConnection
  private let table: AssetContentTable
  private let rule: UnfinishedUploadRule
  private let steadyClock: SteadyClock
  private var openLookup: AssetLookup?
  private var running: [String: Running] = [:]

  /// - Throws: `SQLError`.
  init(
    _ connection: any SQLConnection,
    _ rule: UnfinishedUploadRule,
    _ steadyClock: SteadyClock
  ) throws {
    (self.connection, self.rule, self.steadyClock) = (connection, rule, steadyClock)
    table = try AssetContentTable(connection)
  }

  // MARK: Uploads

  /// Takes a chunk as far as it continues what is stored.
  ///
  /// - Throws: `ItemError` for a wrong size, or when the user has too much that is not complete; `SQLError`.
  func receive(_ upload: AssetUpload, offset: UInt64, chunk: [UInt8]) throws -> Step {
    try connection.tryAgain {
      if let step = try stepOfStored(upload) { return step }
      let name = upload.partName
      // Known again when it is certain that the transaction was kept.
      var hash = running.removeValue(forKey: name) ?? Running()
      let step = try connection.transaction { try store(chunk, at: offset, of: upload, &hash) }
      if case .stored(let bytes) = step, bytes == hash.bytes {
        if running.count == Self.runningMax, let other = running.keys.first { running[other] = nil }
        running[name] = hash
      }
      return step
    }
  }

  /// How far the upload of an asset is that the database has; `nil` when to the user it does not have it, and the bytes
  /// must be sent.
  private func stepOfStored(_ upload: AssetUpload) throws -> Step? {
    let asset = upload.asset
    guard
      let holding = try lookup().asset(asset.checksum, in: upload.database, of: upload.user),
      // A content that was lost is taken again.
      try table.content(asset.checksum)?.size == holding.row.size
    else { return nil }
    return try holding.isToBeRenewed(by: asset, at: steadyClock.now) ? .verified : .complete
  }

  private func store(
    _ chunk: [UInt8],
    at offset: UInt64,
    of upload: AssetUpload,
    _ hash: inout Running
  ) throws -> Step {
    let size = upload.asset.size
    let found = try table.lock(upload)
    if found?.state == .verified { return .verified }
    let stored = found?.stored ?? 0
    let isMore = offset <= stored && offset + UInt64(chunk.count) > stored
    guard isMore || stored >= size else { return .stored(stored) }
    var arriving =
      try found
      ?? table.begin(upload.partName, upload.asset, by: upload.userHash, at: steadyClock.now)
    // Another connection may have been faster.
    guard arriving.stored == stored, arriving.state == .arriving else {
      return .stored(arriving.stored)
    }
    // It may have been thrown away and begun again since, with other bytes, here or by another server.
    if hash.number != arriving.number || hash.bytes > stored {
      hash = Running(number: arriving.number)
    }
    if isMore {
      let fresh = chunk[Int(stored - offset)...]
      try rule.check(
        stored + UInt64(fresh.count),
        isNew: arriving.isNew,
        others: table.others(of: upload.userHash, except: arriving.number)
      )
      try table.append(fresh, to: &arriving, at: steadyClock.now)
      if hash.bytes == stored { hash.add(fresh) }
    }
    guard arriving.stored >= size else { return .stored(arriving.stored) }
    return try finish(arriving, of: upload, hash)
  }

  /// Compares the checksum of all that has come.
  private func finish(
    _ arriving: AssetContentTable.Upload,
    of upload: AssetUpload,
    _ hash: consuming Running
  ) throws(SQLError) -> Step {
    while hash.bytes < arriving.stored {
      let piece = try table.read(
        arriving.number,
        at: hash.bytes,
        count: AssetContentTable.pieceBytesMax
      )
      guard !piece.isEmpty else {
        throw SQLError(.damaged, "pieces of the upload \(upload.partName) are missing")
      }
      hash.add(piece[...])
    }
    let checksum = hash.hash.checksum()
    guard checksum == upload.asset.checksum, arriving.stored == upload.asset.size else {
      try table.drop(arriving)
      return .mismatched(size: arriving.stored, checksum: checksum)
    }
    try table.setVerified(arriving)
    return .verified
  }

  // MARK: Removal

  /// Throws some uploads away that were not continued since a time.
  ///
  /// - Returns: How many.
  func dropUploads(olderThan time: SteadyTime) throws -> Int {
    try connection.tryAgain { try table.dropUploads(olderThan: time) }
  }

  /// Removes some pieces of what was thrown away.
  ///
  /// - Returns: `false`: there is nothing left.
  func removeDropped() throws -> Bool {
    try connection.tryAgain { try table.removeDropped() }
  }

  private func lookup() throws -> AssetLookup {
    if let openLookup { return openLookup }
    let opened = try AssetLookup(connection)
    openLookup = opened
    return opened
  }
}
