internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel

/// The files of those assets whose checksums belong to one thread, and what it knows about them.
///
/// All that happens to an asset's file happens on its thread, one thing after the other: chunks of one
/// upload do not mix, and collection cannot come between a file's completion and its row, because the
/// file is pinned until the row is committed.
final class AssetShard {
  /// How far an upload is.
  enum Step: Hashable, Sendable {
    /// So many bytes are stored.
    case stored(UInt64)
    /// The asset is there.
    case complete
    /// The file is in its place and pinned: write the row, then call `settle`.
    case placed
  }

  /// The hash of an upload so far.
  private struct Running {
    var hash = SHA256()
    var bytes: UInt64 = 0
  }

  /// Most uploads whose hashes are remembered; others are read again when they are complete.
  private static let runningMax = 64
  /// The disk is waited for after so many bytes, not for all of them in the last call.
  private static let unsynchronizedBytesMax: UInt64 = 8 << 20

  private let folder: AssetFolder
  private let unfinished: UnfinishedUploads
  private let readers: any StoreReaders
  private let steadyClock: SteadyClock
  private var openLookup: AssetLookup?
  private var running: [String: Running] = [:]
  /// Parts whose sync failed, and that could neither be removed nor emptied: nothing of them counts.
  private var doubtfulParts: Set<String> = []
  private var pins: [[UInt8]: Int] = [:]
  /// Groups whose files' names are on the disk, as far as they were there when this run began.
  private var settledGroups: Set<UInt8> = []
  /// Groups whose sync failed before they were settled: nothing says any more which names of an earlier
  /// run are on the disk, so that their files are sent again.
  private var doubtfulGroups: Set<UInt8> = []
  /// Files in their places that could not be removed and whose names may not be on the disk, or whose
  /// content was found to be another: they count only once they were sent again.
  private var doubtful: Set<[UInt8]> = []
  /// With more of them, no file counts.
  private static let doubtfulMax = 4_096
  /// Collected while they were pinned: looked at again when they no longer are.
  private var collectedWhilePinned: Set<[UInt8]> = []

  init(
    _ folder: AssetFolder,
    _ unfinished: UnfinishedUploads,
    readers: any StoreReaders,
    steadyClock: SteadyClock
  ) {
    self.steadyClock = steadyClock
    self.folder = folder
    self.unfinished = unfinished
    self.readers = readers
  }

  // MARK: Uploads

  /// Takes a chunk as far as it continues what is stored.
  ///
  /// - Throws: `ItemError` for bytes that are not the asset, or when the user has too much that is
  ///   not complete; `FileError`, `SQLError`.
  func receive(_ upload: AssetUpload, offset: UInt64, chunk: [UInt8]) throws -> Step {
    if let step = try stepOfStored(upload) { return step }
    let name = upload.partName
    try discardDoubtful(name)
    var stored = try Folder.status(folder.partPath(name))?.size ?? 0
    if offset <= stored, offset + UInt64(chunk.count) > stored {
      let fresh = chunk[Int(stored - offset)...]
      try unfinished.grow(name, to: stored + UInt64(fresh.count))
      do {
        try append(fresh, to: name, at: stored)
      } catch {
        if stored == 0 { unfinished.remove(name) }
        throw error
      }
      stored += UInt64(fresh.count)
    }
    guard stored >= upload.asset.size else { return .stored(stored) }
    try finish(upload, name)
    pin(upload.asset.checksum)
    return .placed
  }

  /// Unpins the file of an asset whose row was committed, or could not be written.
  func settle(_ checksum: [UInt8]) {
    let count = pins[checksum] ?? 0
    precondition(count > 0, "an asset was settled that is not placed")
    pins[checksum] = count == 1 ? nil : count - 1
    guard count == 1, collectedWhilePinned.remove(checksum) != nil else { return }
    // What cannot be removed now is found by the next sweep.
    _ = try? collect(checksum)
  }

  /// How far the upload of an asset is that the database has; `nil` when to the user it does not have
  /// it, and the bytes must be sent.
  private func stepOfStored(_ upload: AssetUpload) throws -> Step? {
    let asset = upload.asset
    guard
      let holding = try lookup().asset(asset.checksum, in: upload.database, of: upload.user),
      // A file that was lost is taken again.
      try Folder.status(folder.filePath(asset.checksum))?.size == holding.row.size,
      doubtful.count < Self.doubtfulMax, !doubtful.contains(asset.checksum),
      !doubtfulGroups.contains(asset.checksum[0])
    else { return nil }
    try settleGroup(asset.checksum[0])
    guard try holding.isToBeRenewed(by: asset, at: steadyClock.now) else { return .complete }
    pin(asset.checksum)
    return .placed
  }

  /// An earlier run may have ended between a file's rename and the sync of its name.
  private func settleGroup(_ group: UInt8) throws(FileError) {
    guard !settledGroups.contains(group) else { return }
    do throws(FileError) {
      try folder.synchronize(group: group)
    } catch {
      doubtfulGroups.insert(group)
      throw error
    }
    settledGroups.insert(group)
  }

  private func append(_ bytes: ArraySlice<UInt8>, to name: String, at offset: UInt64) throws {
    var hash = running.removeValue(forKey: name) ?? Running()
    let file = try File(path: folder.partPath(name), .create)
    do {
      try file.write(bytes, at: offset)
      // How old the part is, is not for the system's clock to say.
      try file.setChanged(milliseconds: steadyClock.now.milliseconds)
    } catch {
      // What a full disk took of the chunk may be incomplete: the next try begins at its begin.
      try? file.truncate(to: offset)
      throw error
    }
    let end = offset + UInt64(bytes.count)
    if end / Self.unsynchronizedBytesMax > offset / Self.unsynchronizedBytesMax {
      try synchronize(file, name)
    }
    guard hash.bytes == offset else { return }
    hash.hash.update(bytes)
    hash.bytes += UInt64(bytes.count)
    if running.count == Self.runningMax, let other = running.keys.first { running[other] = nil }
    running[name] = hash
  }

  /// Waits until an upload is on the disk as far as it has come; what a failed sync leaves of it is
  /// thrown away.
  ///
  /// The system forgets which of its pages it could not write: the next sync would say that all is
  /// well.
  private func synchronize(_ file: File, _ name: String) throws(FileError) {
    do throws(FileError) {
      try file.synchronize()
    } catch {
      doubtfulParts.insert(name)
      // On a disk that has become read-only it stays, and the upload does not go on before it is gone.
      try? discardDoubtful(name)
      throw error
    }
  }

  /// Throws away a part whose sync failed; of others nothing.
  private func discardDoubtful(_ name: String) throws(FileError) {
    guard doubtfulParts.contains(name) else { return }
    do throws(FileError) {
      try Folder.remove(folder.partPath(name))
    } catch {
      // Bytes that are written again are synced again.
      try File(path: folder.partPath(name), .write).truncate(to: 0)
    }
    doubtfulParts.remove(name)
    unfinished.remove(name)
  }

  /// Adds bytes to a hash that this run has not written one after the other, and writes them again.
  ///
  /// An earlier run may have failed to sync them: only what is written after that is synced again.
  private func rewrite(
    _ file: File,
    from start: UInt64,
    into hash: inout SHA256
  ) throws(FileError) {
    var offset = start
    while true {
      let piece = try file.read(at: offset, count: File.pieceBytes)
      if piece.isEmpty { break }
      hash.update(piece[...])
      try file.write(piece[...], at: offset)
      offset += UInt64(piece.count)
    }
    try file.setChanged(milliseconds: steadyClock.now.milliseconds)
  }

  /// Compares the checksum of a complete file, and gives it its place.
  private func finish(_ upload: AssetUpload, _ name: String) throws {
    let asset = upload.asset
    var hash = running.removeValue(forKey: name) ?? Running()
    let file = try File(path: folder.partPath(name), .create)
    let size = try file.size
    if hash.bytes < size { try rewrite(file, from: hash.bytes, into: &hash.hash) }
    let checksum = hash.hash.checksum()
    guard checksum == asset.checksum, size == asset.size else {
      try Folder.remove(folder.partPath(name))
      unfinished.remove(name)
      throw upload.mismatch(size: size, checksum: checksum)
    }
    try synchronize(file, name)
    do throws(FileError) {
      try folder.position(name, as: asset.checksum)
    } catch {
      if mayBeThere(folder.filePath(asset.checksum)) { doubtful.insert(asset.checksum) }
      if !mayBeThere(folder.partPath(name)) {
        unfinished.remove(name)
        // It got its name, and the sync of that failed.
        let group = asset.checksum[0]
        if !settledGroups.contains(group) { doubtfulGroups.insert(group) }
      }
      throw error
    }
    doubtful.remove(asset.checksum)
    unfinished.remove(name)
    // Names that were there before are on the disk too.
    if !doubtfulGroups.contains(asset.checksum[0]) { settledGroups.insert(asset.checksum[0]) }
  }

  /// Whether a file is there, or nothing can be said of it.
  private func mayBeThere(_ path: String) -> Bool {
    do {
      return try Folder.status(path) != nil
    } catch {
      return true
    }
  }

  /// The content of a file is not its asset: the next upload of it is taken, and replaces the file.
  func noteDamage(_ checksum: [UInt8]) {
    if doubtful.count < Self.doubtfulMax { doubtful.insert(checksum) }
  }

  private func pin(_ checksum: [UInt8]) { pins[checksum, default: 0] += 1 }

  // MARK: Collection

  /// Removes the file of an asset that no database has.
  ///
  /// - Returns: Whether it was removed.
  @discardableResult
  func collect(_ checksum: [UInt8]) throws -> Bool {
    guard pins[checksum] == nil else {
      collectedWhilePinned.insert(checksum)
      return false
    }
    guard try !lookup().isKept(checksum) else { return false }
    try Folder.remove(folder.filePath(checksum))
    return true
  }

  /// Removes the file of an asset that no database has, unless it came, or was moved, after a time.
  ///
  /// - Returns: Whether it was removed.
  func collect(_ checksum: [UInt8], olderThan time: SteadyTime) throws -> Bool {
    guard let touched = try Folder.lastTouched(folder.filePath(checksum)),
      touched * 1000 <= time.milliseconds
    else { return false }
    return try collect(checksum)
  }

  /// Removes an incomplete file that was not continued for long.
  ///
  /// - Returns: Whether it was removed.
  func collectPart(_ name: String, olderThan time: SteadyTime) throws -> Bool {
    let seconds = time.milliseconds / 1000
    guard let status = try Folder.status(folder.partPath(name)), status.changed < seconds else {
      return false
    }
    running[name] = nil
    try Folder.remove(folder.partPath(name))
    doubtfulParts.remove(name)
    unfinished.remove(name)
    return true
  }

  private func lookup() throws -> AssetLookup {
    if let openLookup { return openLookup }
    let opened = try AssetLookup.open(readers)
    openLookup = opened
    return opened
  }
}
