/// One line of a report.
public struct Figure: Codable, Hashable, Sendable {
  /// Names the figure in a thresholds file: the case, then what distinguishes it, with dots, for
  /// example `fetch.c1.n64`.
  public var name: String
  /// Connections that the calls used.
  public var connections: Int?
  /// Calls in flight, over all connections.
  public var inFlight: Int?
  /// The medians over the rounds.
  public var measured: Measurement?
  /// The medians of what it is compared with, over the same rounds.
  public var baseline: Measurement?
  /// The number that is compared with a target; `nil`: the line is information.
  public var score: Score?

  /// A figure from its parts.
  public init(
    name: String,
    connections: Int? = nil,
    inFlight: Int? = nil,
    measured: Measurement? = nil,
    baseline: Measurement? = nil,
    score: Score? = nil
  ) {
    self.name = name
    self.connections = connections
    self.inFlight = inFlight
    self.measured = measured
    self.baseline = baseline
    self.score = score
  }

  /// The case that the figure belongs to.
  public var caseName: Substring { name.prefix { $0 != "." } }
}
