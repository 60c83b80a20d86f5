#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A file of lines `name = value`; `#` begins a comment line.
public enum ConfigurationFile {
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
    -> [String: String]
  {
    try parse(try contents(path), of: path, allowing: names)
  }

  /// Reads a file's text.
  static func parse(
    _ text: String,
    of path: String,
    allowing names: [String]
  )
    throws(UsageError) -> [String: String]
  {
    var settings: [String: String] = [:]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
      guard parts.count == 2, let name = parts.first else {
        throw UsageError("\(path), line \(index + 1): expected 'name = value', found '\(line)'")
      }
      guard names.contains(name) else {
        let near = nearest(to: name, among: names)
        throw UsageError(
          "\(path), line \(index + 1): unknown name '\(name)'"
            + (near.map { "; did you mean \($0)?" } ?? "")
        )
      }
      settings[name] = parts[1]
    }
    return settings
  }

  private static func contents(_ path: String) throws(UsageError) -> String {
    guard let file = fopen(path, "r") else {
      throw UsageError("cannot read '\(path)': \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
      count = fread(buffer.baseAddress, 1, bytesMax, file)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("'\(path)' is not UTF-8 text")
    }
    return text
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0] } ?? ""
  }
}
