internal import FoundationEssentials

/// All that one run of `tidings-bench growth` measured.
public struct GrowthRun: Codable, Hashable, Sendable {
  /// Where and with what it ran.
  public var machine: Machine
  /// How it was started.
  public var command: String
  /// What was measured.
  public var curves: [GrowthCurve]

  /// A run from its parts.
  public init(machine: Machine, command: String, curves: [GrowthCurve]) {
    (self.machine, self.command, self.curves) = (machine, command, curves)
  }

  /// The run as one JSON document, ending in a line break.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  /// Reads a run that `json` wrote.
  public init(json: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }
}
