/// What is run, and how patiently.
public struct RunSettings: Sendable {
  /// How the client under test is started, for the shell.
  public var command: String
  /// The program of the server.
  public var rpcdPath: String
  /// How long a client may take for a task, besides what the task itself says, in milliseconds.
  public var taskMillisecondsMax = 60_000
  /// Only cases whose names contain one of these, or match it where it has `*`; empty: all.
  public var filters: [String] = []

  /// Settings with the defaults.
  public init(command: String, rpcdPath: String) {
    self.command = command
    self.rpcdPath = rpcdPath
  }

  /// Whether a case is run.
  func selects(_ name: String) -> Bool {
    filters.isEmpty
      || filters.contains { filter in
        filter.contains("*")
          ? Self.matches(Array(name.utf8)[...], Array(filter.utf8)[...]) : name.contains(filter)
      }
  }

  private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    if first == UInt8(ascii: "*") {
      return (name.startIndex...name.endIndex).contains {
        matches(name[$0...], pattern.dropFirst())
      }
    }
    return name.first == first && matches(name.dropFirst(), pattern.dropFirst())
  }
}
