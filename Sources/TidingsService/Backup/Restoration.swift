internal import TidingsBackup
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// Makes a data folder of a backup.
///
/// The whole backup is verified before anything is written. What is written is beside the places of
/// a store until it is whole, checked and on disk; the database gets its name last.
public struct Restoration: Sendable {
  /// What was restored.
  public struct Outcome: Sendable {
    /// When the backup was made, in UTC.
    public let created: String
    /// The incarnation of the store that it was made of.
    public let oldIncarnation: String
    /// The incarnation of the restored store.
    public let incarnation: String
    /// Records, about.
    public let recordCount: UInt64
    /// Assets.
    public let assetCount: UInt64
    /// Assets that the backup does not have, because they were damaged.
    public let damagedAssetCount: UInt64
  }

  /// How far it is.
  public struct Progress: Sendable {
    /// What is being done, for example `verifying`.
    public let step: String
    /// Bytes that are done.
    public let bytesDone: UInt64
    /// Bytes of the backup.
    public let bytesTotal: UInt64
  }

  /// The backup.
  public var backupPath: String
  /// The data folder.
  public var dataPath: String

  private static let pieceBytes = 1 << 20

  /// What to restore, and where.
  public init(backupPath: String, dataPath: String) {
    self.backupPath = backupPath
    self.dataPath = dataPath
  }

  /// Restores it.
  ///
  /// - Parameter progress: Called now and then.
  /// - Returns: What was restored.
  /// - Throws: `StartError` when the backup or the folder cannot be used; then the folder holds no store.
  public func run(_ progress: (Progress) -> Void = { _ in }) throws -> Outcome {
    do {
      let manifest = try verify(progress)
      let folder = try DataFolder(path: dataPath)
      let position = RestorationFolder(folder)
      try position.begin()
      let totals = try write(to: position, progress)
      try position.checkDatabase(progress: {
        progress(Progress(step: $0, bytesDone: 1, bytesTotal: 1))
      })
      let incarnation = try position.renewIdentity()
      try position.finish()
      return Outcome(
        created: manifest.created,
        oldIncarnation: manifest.incarnation,
        incarnation: incarnation,
        recordCount: manifest.recordCount,
        assetCount: totals.assets,
        damagedAssetCount: totals.damagedAssets
      )
    } catch {
      throw StartError("cannot restore '\(backupPath)' into '\(dataPath)'", error)
    }
  }

  /// Reads the whole backup before anything is written.
  private func verify(_ progress: (Progress) -> Void) throws -> BackupManifest {
    var manifest: BackupManifest?
    try forEachSection("verifying", progress) { section in
      guard case .manifest(let found) = section else { return }
      manifest = found
      guard found.schema <= Migration.format else {
        throw StartError(
          "the backup '\(backupPath)' was made by a newer version (rpcd \(found.serverVersion), schema "
            + "\(found.schema); this program knows \(Migration.format)): restore it with that one"
        )
      }
    }
    guard let manifest else { throw StartError("the backup '\(backupPath)' is empty") }
    return manifest
  }

  private func write(
    to position: RestorationFolder,
    _ progress: (Progress) -> Void
  ) throws -> BackupTotals {
    var writer: RestorationWriter?
    var totals = BackupTotals()
    try forEachSection("restoring", progress) { section in
      switch section {
      case .manifest(let manifest):
        writer = try RestorationWriter(position, pageBytes: manifest.pageBytes)
      case .end(let found):
        totals = found
        try writer?.finish()
      default: try writer?.write(section)
      }
    }
    return totals
  }

  /// Reads the backup from its beginning; every section is verified before it is handed out.
  private func forEachSection(
    _ step: String,
    _ progress: (Progress) -> Void,
    _ body: (BackupSection) throws -> Void
  ) throws {
    do {
      let file = try File(path: backupPath, .read)
      guard try file.isRegular else { throw StartError("'\(backupPath)' is not a file") }
      let size = try file.size
      var (decoder, offset) = (BackupDecoder(), UInt64(0))
      while true {
        let piece = try file.read(at: offset, count: Self.pieceBytes)
        guard !piece.isEmpty else { break }
        offset += UInt64(piece.count)
        decoder.append(piece)
        while let section = try decoder.nextSection() { try body(section) }
        progress(Progress(step: step, bytesDone: offset, bytesTotal: max(size, offset)))
      }
      try decoder.finish()
    } catch let error as BackupError {
      throw StartError("cannot restore '\(backupPath)': \(error). Nothing was changed")
    }
  }
}
