internal import Glibc

/// Small files that are written atomically.
enum AtomicFile {
  /// Replaces a file's content.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let new = path + ".new"
    let file = try OutputFile(new, mode: .replacing)
    try file.write(bytes)
    guard rename(new, path) == 0 else {
      throw LocalFailure("cannot write '\(path)': \(String(cString: strerror(errno)))")
    }
  }

  /// Removes a file, if it exists.
  static func remove(_ path: String) { unlink(path) }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

/// A file that is being written.
final class OutputFile: Sendable {
  enum Mode { case replacing, appending }

  private let path: String
  private let descriptor: CInt

  init(_ path: String, mode: Mode) throws {
    self.path = path
    let how = mode == .replacing ? O_TRUNC : O_APPEND
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        systemWrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw Self.failure(path)
      }
    }
  }

  /// Truncates the file to a length, to continue from there.
  func cut(to bytes: Int) throws {
    guard ftruncate(descriptor, off_t(bytes)) == 0 else { throw Self.failure(path) }
  }

  private static func failure(_ path: String) -> LocalFailure {
    LocalFailure("cannot write '\(path)': \(String(cString: strerror(errno)))")
  }
}

private let systemWrite = Glibc.write
