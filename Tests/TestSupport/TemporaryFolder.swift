internal import Foundation
internal import Synchronization

/// A folder of its own, removed when the tests end.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// Holds the folders of these tests.
  private static let root: URL = {
    let root = FileManager.default.temporaryDirectory
      .appendingPathComponent(RunName.ofRun)
    atexit { try? FileManager.default.removeItem(at: TemporaryFolder.root) }
    return root
  }()

  /// Folders elsewhere.
  private static let others = Mutex<[URL]>([])

  public init() throws {
    let url = Self.root.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  /// A folder beside the program of the tests: on a disk, also where temporary files are in memory.
  static func besideTests() throws -> TemporaryFolder {
    let parent = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: parent.path)
    for name in names where RunName.isOfEndedRun(name) {
      try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
    }
    return try TemporaryFolder(in: parent)
  }

  private init(in parent: URL) throws {
    let url = parent.appendingPathComponent(RunName.make())
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
    let isFirst = Self.others.withLock { others in
      others.append(url)
      return others.count == 1
    }
    guard isFirst else { return }
    atexit {
      for folder in TemporaryFolder.others.withLock({ $0 }) {
        try? FileManager.default.removeItem(at: folder)
      }
    }
  }

  public func file(_ name: String) -> String { path + "/" + name }

  public func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  /// Writes bytes in place of others.
  public func overwrite(_ bytes: [UInt8], at offset: Int, in name: String) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file(name)))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  /// Lets a file look as if nobody had changed it for years.
  public func makeOld(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
      ofItemAtPath: file(name)
    )
  }

  /// The content of each file in a folder of this one and in the folders within, by path.
  public func contents(_ subfolder: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: file(subfolder)) {
      var isFolder = ObjCBool(false)
      let path = subfolder + "/" + name
      guard FileManager.default.fileExists(atPath: file(path), isDirectory: &isFolder) else {
        continue
      }
      if !isFolder.boolValue { contents[name] = try read(path) }
    }
    return contents
  }
}
