internal import TidingsBackup
internal import TidingsFiles

/// A backup file that is being received: verified while it is written, renamed when it is complete and durable.
final class BackupFile {
  private let path: String
  private let partPath: String
  private let file: File
  private var decoder = BackupDecoder()
  private var isCommitted = false

  /// The checksums of the skipped assets.
  private(set) var damagedAssets: [[UInt8]] = []
  private var lastAsset: [UInt8] = []

  /// Bytes written so far.
  private(set) var bytes: UInt64 = 0
  /// The backup's manifest, once received.
  var manifest: BackupManifest? { decoder.manifest }
  /// The totals so far.
  var totals: BackupTotals { decoder.totals }

  /// Throws if the file must not be written.
  static func check(_ path: String, replaces: Bool) throws {
    if Folder.isThere(path) {
      throw LocalFailure("'\(path)' is a folder: name the file to write")
    }
    if try !replaces && Folder.status(path) != nil {
      throw LocalFailure("'\(path)' exists: name another file, or replace it with --force")
    }
  }

  /// Creates `PATH.part`, which only its owner may read.
  ///
  /// - Throws: `LocalFailure`, `FileError`.
  init(_ path: String) throws {
    self.path = path
    partPath = path + ".part"
    try Self.removePart(partPath)
    file = try File(path: partPath, .createNew)
    guard file.lock() else { throw Self.inUse(partPath) }
  }

  deinit { discard() }

  /// Appends the next bytes.
  ///
  /// - Throws: `BackupError` if they are not a valid backup; `FileError`.
  func append(_ chunk: [UInt8]) throws {
    decoder.append(chunk)
    while let section = try decoder.nextSection() {
      switch section {
      case .asset(let checksum, _): lastAsset = checksum
      case .damagedAsset: damagedAssets.append(lastAsset)
      default: break
      }
    }
    try file.write(chunk[...], at: bytes)
    bytes += UInt64(chunk.count)
  }

  /// Renames the complete backup, durably.
  ///
  /// - Throws: `BackupError` if it is not complete; `FileError`.
  func commit(replaces: Bool) throws {
    try decoder.finish()
    try file.synchronize()
    try Self.check(path, replaces: replaces)
    try Folder.rename(partPath, to: path)
    isCommitted = true
    try Folder.synchronize(parentOf: path)
  }

  /// Removes the partial file, unless the backup is complete.
  func discard() {
    guard !isCommitted else { return }
    isCommitted = true
    try? Folder.remove(partPath)
  }

  /// Removes the partial file of a backup that was killed.
  private static func removePart(_ path: String) throws {
    guard try Folder.status(path) != nil else { return }
    guard try File(path: path, .write).lock() else { throw inUse(path) }
    try Folder.remove(path)
  }

  private static func inUse(_ path: String) -> LocalFailure {
    LocalFailure("'\(path)' is being written by another backup: wait for it, or name another file")
  }
}
