internal import Glibc

/// Bytes that are read in chunks.
protocol ByteSource: AnyObject {
  /// The total number of bytes; `nil` if unknown, as for a pipe.
  var size: Int? { get }
  /// Reads into a part of a buffer; 0 at the end.
  func read(into buffer: inout [UInt8], from start: Int) throws -> Int
}

/// A file, or standard input.
final class FileSource: ByteSource {
  private let name: String
  private let descriptor: CInt
  private let isOwned: Bool

  /// Opens a file at an offset; `nil` as path: standard input.
  init(_ path: String?, offset: Int) throws {
    name = path.map { "'\($0)'" } ?? "standard input"
    isOwned = path != nil
    descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else { throw LocalFailure("cannot read \(name): \(Self.reason)") }
    if offset > 0, lseek(descriptor, off_t(offset), SEEK_SET) < 0 {
      throw LocalFailure("cannot seek in \(name): \(Self.reason)")
    }
  }

  deinit { if isOwned { close(descriptor) } }

  var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  func read(into buffer: inout [UInt8], from start: Int) throws -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { bytes in
        systemRead(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count >= 0 { return count }
      if errno != EINTR { throw LocalFailure("cannot read \(name): \(Self.reason)") }
    }
  }

  private static var reason: String { String(cString: strerror(errno)) }
}

/// Bytes in memory.
final class MemorySource: ByteSource {
  private var rest: ArraySlice<UInt8>
  let size: Int?

  init(_ bytes: [UInt8], offset: Int = 0) {
    rest = bytes.dropFirst(offset)
    size = bytes.count
  }

  func read(into buffer: inout [UInt8], from start: Int) throws -> Int {
    let count = min(rest.count, buffer.count - start)
    buffer.replaceSubrange(start..<(start + count), with: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}

private let systemRead = Glibc.read
