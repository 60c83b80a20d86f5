internal import Foundation

/// A folder of its own, removed with the last reference.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidings-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { path + "/" + name }

  public func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }

  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  /// The content of each file in a folder of this one, by name.
  public func contents(_ subfolder: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: file(subfolder)) {
      contents[name] = try read(subfolder + "/" + name)
    }
    return contents
  }
}
