internal import Foundation

/// A small file system in a file, as a folder.
public final class SmallDisk: Sendable {
  /// What is on it.
  public let folder: TemporaryFolder
  private static let ballast = "ballast"

  /// Whether tests may mount one here, as root may.
  public static let isAvailable = (try? SmallDisk(bytes: 4 << 20)) != nil

  /// An empty one of so many bytes, on a disk and not in memory.
  ///
  /// - Throws: `WaitingFailure` when it cannot be made or mounted.
  public init(bytes: Int) throws {
    folder = try TemporaryFolder()
    let image = try TemporaryFolder.besideTests()
    try image.write([], to: "disk")
    let path = image.file("disk")
    guard truncate(path, off_t(bytes)) == 0 else {
      throw WaitingFailure(description: "no file of \(bytes) bytes")
    }
    // No bytes are kept for root, as which tests run.
    try Self.run("mkfs.ext4", ["-q", "-m", "0", path])
    try Self.run("mount", ["-o", "loop", path, folder.path])
  }

  deinit { try? Self.run("umount", ["--lazy", folder.path]) }

  /// Leaves so many bytes less.
  public func occupy(_ bytes: Int) throws {
    try folder.write([UInt8](repeating: 1, count: bytes), to: Self.ballast)
  }

  /// Leaves no room at all.
  public func fill() throws {
    let handle = try FileHandle(forWritingTo: try file())
    defer { try? handle.close() }
    try handle.seekToEnd()
    for size in [1 << 20, 1 << 12, 1] {
      while (try? handle.write(contentsOf: Data(count: size))) != nil {}
    }
  }

  private func file() throws -> URL {
    let path = folder.file(Self.ballast)
    if !FileManager.default.fileExists(atPath: path) { try occupy(0) }
    return URL(fileURLWithPath: path)
  }

  /// Removes what occupies it.
  public func free() throws {
    try FileManager.default.removeItem(atPath: folder.file(Self.ballast))
  }

  private static func run(_ name: String, _ arguments: [String]) throws {
    guard let program = Executable.path(name) else {
      throw WaitingFailure(description: "no \(name)")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WaitingFailure(description: "\(name): \(process.terminationStatus)")
    }
  }
}
