/// All that one run of `tidings-bench growth` measured.
public struct GrowthRun: JSONDocument, Hashable, Sendable {
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
}
