#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A file of lines `name = value`; `#` begins a comment line.
public enum ConfigurationFile {
  /// A value, and where it stands.
  public struct Setting: Hashable, Sendable {
    /// What stands behind the `=`.
    public let value: String
    /// For messages, for example `rpcd.conf, line 3`.
    public let place: String

    /// A value at a place.
    public init(value: String, place: String) {
      self.value = value
      self.place = place
    }
  }

  /// Largest file that is read, in bytes.
  public static let bytesMax = 1 << 20

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - names: The names that may stand in it.
  /// - Returns: The values, by name.
  /// - Throws: With the file, the line and what would be right.
  public static func read(
    _ path: String,
    allowing names: [String]
  ) throws(UsageError)
    -> [String: Setting]
  {
    try parse(try contents(path), of: path, allowing: names)
  }

  /// Reads a file's text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: What messages call the file.
  ///   - names: The names that may stand in it.
  /// - Returns: The values, by name.
  /// - Throws: With the file, the line and what would be right.
  public static func parse(
    _ text: String,
    of path: String,
    allowing names: [String]
  )
    throws(UsageError) -> [String: Setting]
  {
    var settings: [String: Setting] = [:]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      let place = "\(path), line \(index + 1)"
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
      guard parts.count == 2, let name = parts.first else {
        throw UsageError("\(place): expected 'name = value', found '\(line)'")
      }
      guard names.contains(name) else {
        throw UsageError("\(place): unknown name '\(name)'" + didYouMean(name, among: names))
      }
      settings[name] = Setting(value: parts[1], place: place)
    }
    return settings
  }

  private static func contents(_ path: String) throws(UsageError) -> String {
    // Who opens a pipe would wait for its writer.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      throw UsageError("cannot read '\(path)': \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw UsageError("'\(path)' is a folder, a pipe or a device: name a file")
    }
    guard status.st_size <= bytesMax else {
      throw UsageError(
        "'\(path)' has \(status.st_size) bytes: a configuration file has at most \(bytesMax) bytes"
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
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("'\(path)' is not UTF-8 text")
    }
    return text
  }
}

#if canImport(Glibc)
private let systemRead = Glibc.read
#else
private let systemRead = Musl.read
#endif

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0] } ?? ""
  }
}
