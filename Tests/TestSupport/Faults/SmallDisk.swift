internal import Foundation

/// A small file system in a file, as a folder.
public final class SmallDisk: Sendable {
  /// What is on it.
  public let folder: TemporaryFolder
  private static let ballast = "ballast"

  /// Whether tests may mount one here, as root may.
  public static let isAvailable: Bool = {
    guard geteuid() == 0, Executable.path("mkfs.ext4") != nil else { return false }
    unmountLeftovers()
    return (try? SmallDisk(bytes: 4 << 20)) != nil
  }()

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

  /// Takes so many bytes, until `free`.
  public func occupy(_ bytes: Int) throws {
    let descriptor = try open()
    defer { close(descriptor) }
    guard posix_fallocate(descriptor, 0, off_t(bytes)) == 0 else {
      throw WaitingFailure(description: "no room for \(bytes) bytes")
    }
  }

  /// Takes all bytes that there are, until `free`.
  public func fill() throws {
    let descriptor = try open()
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    var offset = lseek(descriptor, 0, SEEK_END)
    // What was reserved for files that became smaller is free after the sync.
    for _ in 0..<3 {
      for size in [bytes.count, 4_096, 1] {
        while true {
          let written = pwrite(descriptor, bytes, size, offset)
          guard written > 0 else { break }
          offset += off_t(written)
        }
      }
      fsync(descriptor)
    }
  }

  /// Gives them back.
  public func free() throws {
    try FileManager.default.removeItem(atPath: folder.file(Self.ballast))
    // The file system uses freed blocks again after its journal was committed, as for a new file that is synced.
    let descriptor = try open()
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw WaitingFailure(description: "no sync of the disk") }
    try FileManager.default.removeItem(atPath: folder.file(Self.ballast))
  }

  private func open() throws -> Int32 {
    let descriptor = Foundation.open(
      folder.file(Self.ballast),
      O_WRONLY | O_CREAT | O_CLOEXEC,
      0o600
    )
    guard descriptor >= 0 else { throw WaitingFailure(description: "no file on the small disk") }
    return descriptor
  }

  /// What runs that were killed had mounted.
  private static func unmountLeftovers() {
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    for line in mounts.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 1,
        words[1].split(separator: "/").contains(where: { RunName.isOfEndedRun($0) })
      else { continue }
      try? run("umount", ["--lazy", String(words[1])])
    }
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
