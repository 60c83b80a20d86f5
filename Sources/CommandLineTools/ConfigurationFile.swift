/// A file with lines `name = value`; comment lines start with `#`.
public enum ConfigurationFile {
  /// A value with its location.
  public struct Setting: Hashable, Sendable {
    /// The text after the `=`.
    public let value: String
    /// The location, for messages: `rpcd.conf, line 3`.
    public let location: String

    /// A value at a location.
    public init(value: String, location: String) {
      self.value = value
      self.location = location
    }
  }

  /// The largest file size, in bytes.
  public static let bytesMax = 1 << 20

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - names: The allowed names.
  /// - Returns: The values, by name.
  /// - Throws: An error with the file, the line and what is expected.
  public static func read(
    _ path: String,
    allowing names: [String]
  ) throws(UsageError)
    -> [String: Setting]
  {
    try parse(try contents(path), of: path, allowing: names)
  }

  /// Parses the text of a file.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The file's name in messages.
  ///   - names: The allowed names.
  /// - Returns: The values, by name.
  /// - Throws: An error with the file, the line and what is expected.
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
      let location = "\(path), line \(index + 1)"
      let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
      guard parts.count == 2, let name = parts.first else {
        throw UsageError("\(location): expected 'name = value', found '\(line)'")
      }
      guard names.contains(name) else {
        throw UsageError("\(location): unknown name '\(name)'" + didYouMean(name, among: names))
      }
      settings[name] = Setting(value: parts[1], location: location)
    }
    return settings
  }

  private static func contents(_ path: String) throws(UsageError) -> String {
    let bytes = try OptionFile.bytes(of: path, as: "a configuration file", bytesMax: bytesMax)
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
