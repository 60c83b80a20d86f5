/// The line with which a server says that it is ready: words, then `name=value` pairs.
public struct ReadyLine: Hashable, Sendable {
  /// The URL that it names, if any.
  public let url: String?
  /// By name.
  public let values: [String: String]

  /// Reads a line; `nil` when it does not say `ready`.
  public init?(_ line: String) {
    let words = line.split { $0 == " " || $0 == "\n" }
    guard words.contains("ready") else { return nil }
    let pairs = words.compactMap { word -> (String, String)? in
      let parts = word.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    url = words.first { $0.contains("://") && !$0.contains("=") }.map(String.init)
    values = Dictionary(pairs) { _, last in last }
  }
}
