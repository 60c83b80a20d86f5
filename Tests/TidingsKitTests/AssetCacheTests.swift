import Foundation
import TestSupport
import Testing
import TidingsFiles
import TidingsProto

@testable import TidingsKit

/// Where downloaded files are, and when they go.
@Suite struct AssetCacheTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func asset(_ number: UInt8, size: Int = 10) -> TidingsV1.Asset {
    .init(checksum: Array(repeating: number, count: 32), size: UInt64(size))
  }

  /// Takes a file; returns whether it was downloaded.
  private func take(
    _ number: UInt8,
    size: Int = 10,
    from cache: AssetCache
  ) async throws -> (file: CachedFile, isDownloaded: Bool) {
    var isDownloaded = false
    let file = try await cache.file(asset(number, size: size)) { path in
      isDownloaded = true
      try Data(repeating: number, count: size).write(to: URL(fileURLWithPath: path))
    }
    return (file, isDownloaded)
  }

  @Test("files that nobody uses go when there are too many bytes, the least recently used first")
  func bounded() async throws {
    let cache = try AssetCache(in: folder.path, bytesMax: 40)
    let used = try await take(1, from: cache).file
    for number in 2...4 as ClosedRange<UInt8> { _ = try await take(number, from: cache) }
    // All are there; 2 is used again, so 3 goes first.
    #expect(try await take(2, from: cache).isDownloaded == false)
    _ = try await take(5, from: cache)
    #expect(FileManager.default.fileExists(atPath: used.path))
    #expect(try await take(1, from: cache).isDownloaded == false)
    #expect(try await take(5, from: cache).isDownloaded == false)
    #expect(try await take(3, from: cache).isDownloaded)
    let names = try Folder.names(cache.folder).filter { $0 != "lock" }
    #expect(names.count <= 4)
    #expect(try Data(contentsOf: URL(fileURLWithPath: used.path)) == Data(repeating: 1, count: 10))
  }

  @Test("what is larger than the bound stays while it is used, and goes after")
  func large() async throws {
    let cache = try AssetCache(in: folder.path, bytesMax: 40)
    var file: CachedFile? = try await take(1, size: 100, from: cache).file
    let path = try #require(file?.path)
    #expect(FileManager.default.fileExists(atPath: path))
    file = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a file that the program moved away comes again; a download that failed leaves nothing")
  func moved() async throws {
    let cache = try AssetCache(in: folder.path, bytesMax: 1000)
    let file = try await take(1, from: cache).file
    try FileManager.default.moveItem(atPath: file.path, toPath: folder.file("mine"))
    #expect(try await take(1, from: cache).isDownloaded)
    await #expect(throws: CancellationError.self) {
      _ = try await cache.file(asset(2)) { path in
        try Data([1]).write(to: URL(fileURLWithPath: path + ".abc.part"))
        throw CancellationError()
      }
    }
    #expect(try Folder.names(cache.folder).count == 2)
  }

  /// A cache whose lock goes with it, as with a process.
  private func leaveBehind() throws -> String {
    let cache = try AssetCache(in: folder.path, bytesMax: 1000)
    try Data([1]).write(to: URL(fileURLWithPath: cache.folder + "/file"))
    return cache.folder
  }

  @Test("what a dead process left goes when the next one begins, what a living one has stays")
  func abandoned() async throws {
    let living = try AssetCache(in: folder.path, bytesMax: 1000)
    let kept = try await take(1, from: living).file
    let left = try leaveBehind()
    try FileManager.default.createDirectory(
      atPath: folder.file("tidings-assets-other"),
      withIntermediateDirectories: false
    )
    var next = try AssetCache(in: folder.path, bytesMax: 1000)
    // A process that another test is starting right now may still hold the lock.
    try await waitUntil("the lock of what is gone to be free", pausing: .milliseconds(100)) {
      guard FileManager.default.fileExists(atPath: left) else { return true }
      next.remove()
      next = try AssetCache(in: folder.path, bytesMax: 1000)
      return false
    }
    #expect(FileManager.default.fileExists(atPath: kept.path))
    next.remove()
    #expect(!FileManager.default.fileExists(atPath: next.folder))
  }
}
