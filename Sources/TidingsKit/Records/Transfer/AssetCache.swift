internal import Foundation
internal import Synchronization
internal import TidingsFiles
internal import TidingsProto

/// The files that this process downloaded, named for their content.
///
/// They are in a folder of the process's own, `tidings-assets-…` where temporary files are. Files that no
/// asset refers to any more go when there is more than `bytesMax`, the least recently used first; all go
/// when the process ends, or, if it ended otherwise, when the next one begins to download.
final class AssetCache: Sendable {
  /// Bytes of files to keep that nobody uses; those in use are counted too.
  static let bytesMax: UInt64 = 1 << 30
  static let prefix = "tidings-assets-"

  /// The cache of this process; made by its first download.
  static let shared: Result<AssetCache, any Error> = {
    let parent = FileManager.default.temporaryDirectory.path
    let cache = Result { try AssetCache(in: parent, bytesMax: bytesMax) }
    atexit { try? AssetCache.shared.get().remove() }
    return cache
  }()

  private struct Entry {
    var size: UInt64
    var users: Int
    var lastUse: UInt64
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes: UInt64 = 0
    /// Counts uses and downloads.
    var clock: UInt64 = 0
  }

  let folder: String
  private let bytesMax: UInt64
  /// Says to other processes that this one lives.
  private let lock: File
  private let state = Mutex(State())

  /// A cache in a new folder; what dead processes left beside it is removed.
  init(in parent: String, bytesMax: UInt64) throws {
    Self.removeAbandoned(in: parent)
    self.bytesMax = bytesMax
    var (folder, lock) = try Self.makeFolder(in: parent)
    // Another process may have taken the folder for abandoned before it was locked.
    while !lock.lock() || !FileManager.default.fileExists(atPath: Self.lockPath(folder)) {
      (folder, lock) = try Self.makeFolder(in: parent)
    }
    (self.folder, self.lock) = (folder, lock)
  }

  /// The file of an asset; downloads it unless it is there.
  ///
  /// - Parameters:
  ///   - asset: The asset.
  ///   - download: Writes a file of this name.
  /// - Returns: The file, kept as long as this object.
  /// - Throws: What `download` throws; `FileError`.
  func file(
    _ asset: TidingsV1.Asset,
    download: (String) async throws -> Void
  ) async throws -> CachedFile {
    let name = asset.checksum.hexadecimal
    if let file = take(name, asset.size) { return file }
    // Under a name of its own: two may download the same.
    let number = state.withLock { state in
      state.clock += 1
      return state.clock
    }
    let path = "\(folder)/\(number).new"
    do {
      try await download(path)
      try Folder.rename(path, to: "\(folder)/\(name)")
    } catch {
      for left in (try? Folder.names(folder)) ?? [] where left.hasPrefix("\(number).new") {
        try? Folder.remove("\(folder)/\(left)")
      }
      throw error
    }
    let size = try Folder.status("\(folder)/\(name)")?.size ?? asset.size
    state.withLock { state in
      state.bytes += size - min(size, state.entries[name]?.size ?? 0)
      state.clock += 1
      state.entries[name, default: Entry(size: size, users: 0, lastUse: 0)].users += 1
      state.entries[name]?.lastUse = state.clock
    }
    evict()
    return CachedFile(path: "\(folder)/\(name)", name: name, cache: self)
  }

  /// A file that is there; one that was moved or changed is not.
  private func take(_ name: String, _ size: UInt64) -> CachedFile? {
    let path = "\(folder)/\(name)"
    guard let there = try? Folder.status(path)?.size, size == 0 || there == size else { return nil }
    let isTaken = state.withLock { state in
      guard state.entries[name] != nil else { return false }
      state.clock += 1
      state.entries[name]?.users += 1
      state.entries[name]?.lastUse = state.clock
      return true
    }
    return isTaken ? CachedFile(path: path, name: name, cache: self) : nil
  }

  fileprivate func release(_ name: String) {
    state.withLock { $0.entries[name]?.users -= 1 }
    evict()
  }

  /// Removes files that nobody uses, until an eighth is free.
  private func evict() {
    state.withLock { state in
      guard state.bytes > bytesMax else { return }
      let idle = state.entries.filter { $0.value.users == 0 }
        .sorted { $0.value.lastUse < $1.value.lastUse }
      for (name, entry) in idle where state.bytes > bytesMax - bytesMax / 8 {
        // Under the lock, so that nobody takes it meanwhile.
        try? Folder.remove("\(folder)/\(name)")
        state.entries[name] = nil
        state.bytes -= entry.size
      }
    }
  }

  /// Removes the folder.
  func remove() { Self.remove(folder) }

  // MARK: Folders

  private static func lockPath(_ folder: String) -> String { folder + "/lock" }

  private static func makeFolder(in parent: String) throws -> (String, File) {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError("create a folder in", parent, code: errno)
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (folder, try File(path: lockPath(folder), .create))
  }

  /// Folders whose process lives are locked, those of other users cannot be opened.
  private static func removeAbandoned(in parent: String) {
    for name in (try? Folder.names(parent)) ?? [] where name.hasPrefix(prefix) {
      let folder = "\(parent)/\(name)"
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_uid == getuid(),
        let lock = try? File(path: lockPath(folder), .write), lock.lock()
      else { continue }
      remove(folder)
    }
  }

  private static func remove(_ folder: String) {
    for name in (try? Folder.names(folder)) ?? [] { try? Folder.remove("\(folder)/\(name)") }
    rmdir(folder)
  }
}

/// Keeps a downloaded file as long as it is used.
final class CachedFile: Sendable {
  let path: String
  private let name: String
  private let cache: AssetCache

  fileprivate init(path: String, name: String, cache: AssetCache) {
    self.path = path
    self.name = name
    self.cache = cache
  }

  deinit { cache.release(name) }
}
