internal import Glibc

/// A small file that an option names.
public enum OptionFile {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: What it is, for messages: `a configuration file`.
  ///   - bytesMax: The largest size.
  ///   - takesPipes: Other than regular files are read to their end, too: secrets may come from another program.
  /// - Returns: Its bytes.
  /// - Throws: An error with the file and what is expected.
  public static func bytes(
    of path: String,
    as kind: String,
    bytesMax: Int,
    takesPipes: Bool = false
  ) throws(UsageError) -> [UInt8] {
    // Opening a pipe would otherwise wait for its writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | (takesPipes ? 0 : O_NONBLOCK))
    guard file >= 0 else {
      throw UsageError("cannot read '\(path)': \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, takesPipes || status.st_mode & S_IFMT == S_IFREG else {
      throw UsageError("'\(path)' is not a regular file: name a file")
    }
    guard status.st_size <= bytesMax else {
      throw UsageError(
        "'\(path)' has \(status.st_size) bytes: \(kind) may have at most \(bytesMax) bytes"
      )
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= bytesMax {
      let count = systemRead(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw UsageError("cannot read '\(path)': \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    guard bytes.count <= bytesMax else {
      throw UsageError("'\(path)' is too long: \(kind) may have at most \(bytesMax) bytes")
    }
    return bytes
  }
}

private let systemRead = Glibc.read
