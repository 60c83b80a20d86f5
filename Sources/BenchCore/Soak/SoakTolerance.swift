/// What a soak accepts.
public struct SoakTolerance: Codable, Hashable, Sendable {
  /// How much a quantity may grow over a run.
  public struct Growth: Codable, Hashable, Sendable {
    /// In its unit.
    public var absolute: Double
    /// As a part of the median, if that is more.
    public var part: Double
    /// What it may never exceed; `nil`: nothing.
    public var most: Double?

    /// A tolerance from its parts.
    public init(_ absolute: Double, part: Double = 0, most: Double? = nil) {
      (self.absolute, self.part, self.most) = (absolute, part, most)
    }

    func allows(_ trend: SoakTrend) -> Bool {
      trend.growth <= limit(trend) && most.map { trend.greatest <= $0 } ?? true
    }

    func limit(_ trend: SoakTrend) -> Double { max(absolute, part * trend.median) }
  }

  /// Of resident memory, in bytes.
  public var memory = Growth(Double(16 << 20), part: 0.1)
  /// Of open files.
  public var files = Growth(8)
  /// Of threads.
  public var threads = Growth(2)
  /// Of the log, in bytes.
  public var log = Self.log(limit: Double(256 << 20))
  /// Of the database, in bytes.
  public var database = Growth(Double(16 << 20), part: 0.15)
  /// How much of a deleted zone's bytes may remain in the database file.
  public var remainingSpace = 0.25
  /// How many times the p99 without an activity the p99 with it may be, in the median of the rounds; `nil`: it decides nothing.
  public var ratio: Double? = 3
  /// A p99 below this, in microseconds, counts as this: what a busy processor alone adds.
  public var leastP99 = 2_000.0
  /// Fewer calls than this have no p99 that says anything.
  public var callsMin = 300
  /// Which part of the calls of a kind must be made: a busy machine makes fewer than were to be.
  public var callsPart = 0.25

  /// Of the log, whose file grows in steps to its bound: at one and a half times `log-bytes-max` rpcd stops writing.
  public static func log(limit: Double) -> Growth { Growth(1.5 * limit, most: 1.5 * limit) }

  /// What the documentation says.
  public init() {}
}
