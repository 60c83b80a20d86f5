internal import TidingsBackup
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQLite

/// Writes the sections of a backup into files, each on disk when it is whole.
final class RestorationWriter {
  private let assets: AssetFolder
  private let pageBytes: Int
  private let database: File
  private var asset: (name: [UInt8], file: File, bytes: UInt64)?

  /// Begins the files of a backup with pages of this size.
  ///
  /// - Throws: `FileError`, `StartError`.
  init(_ position: RestorationFolder, pageBytes: Int) throws {
    self.pageBytes = pageBytes
    database = try File(path: position.databasePath, .createNew)
    assets = try AssetFolder(path: position.assetsPath)
  }

  /// Writes the next section.
  ///
  /// - Throws: `FileError`; `StartError` for a page whose checksum is wrong.
  func write(_ section: BackupSection) throws {
    switch section {
    case .pages(let first, let bytes): try write(bytes, first)
    case .asset(let checksum, _):
      try finishAsset()
      try Folder.make(assets.groupPath(checksum[0]))
      asset = (checksum, try File(path: assets.filePath(checksum), .createNew), 0)
    case .piece(let bytes):
      guard let open = asset else { return }
      try open.file.write(bytes[...], at: open.bytes)
      asset?.bytes += UInt64(bytes.count)
    case .damagedAsset:
      guard let open = asset else { return }
      asset = nil
      try Folder.remove(assets.filePath(open.name))
    case .manifest, .end: break
    }
  }

  /// All sections have come.
  func finish() throws {
    try finishAsset()
    try database.synchronize()
  }

  private func write(_ bytes: [UInt8], _ first: UInt64) throws {
    for index in 0..<bytes.count / pageBytes {
      let page = bytes[index * pageBytes..<(index + 1) * pageBytes]
      // The page that locks are taken on is never written.
      let number = Int(clamping: first) + index
      guard PageChecksum.isValid(page) || number == PageChecksum.lockPage(of: pageBytes) else {
        throw StartError(
          "page \(number) of the database in the backup is damaged: use another backup"
        )
      }
    }
    try database.write(bytes[...], at: (first - 1) * UInt64(pageBytes))
  }

  private func finishAsset() throws {
    try asset?.file.synchronize()
    asset = nil
  }
}
