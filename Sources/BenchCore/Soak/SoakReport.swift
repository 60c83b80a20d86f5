/// All that a soak found out.
public struct SoakReport: JSONDocument, Hashable, Sendable {
  /// Where and with what it ran.
  public var machine: Machine
  /// How it ran.
  public var settings: [String: String]
  /// Seconds that it lasted, with the warm-up.
  public var seconds: Double
  /// The calls of each kind and activity.
  public var rows: [SoakRow]
  /// How many calls of each kind there were, whatever ran beside them.
  public var counts: [String: Int]
  /// How many calls of each kind were to be made a second.
  public var rates: [String: Double]
  /// What the server occupied after the warm-up, by name.
  public var trends: [String: SoakTrend]
  /// Each time a zone was deleted and its space given back.
  public var releases: [SoakRelease]
  /// How often each activity was completed.
  public var completed: [String: Int]
  /// How often calls failed, by kind and error.
  public var failures: [String: Int]
  /// Stretches of the run, in order.
  public var windows: [SoakWindow]
  /// What was accepted.
  public var tolerance: SoakTolerance
  /// What was not as it should be; empty: the server passed.
  public var findings: [String] = []

  /// A report from its parts, with the findings.
  public init(
    machine: Machine,
    settings: [String: String],
    seconds: Double,
    ledger: SoakLedger,
    rates: [String: Double],
    releases: [SoakRelease],
    completed: [SoakActivity: Int],
    failures: [String: Int],
    tolerance: SoakTolerance
  ) {
    self.machine = machine
    self.settings = settings
    self.seconds = seconds
    rows = ledger.rows
    counts = ledger.counts
    self.rates = rates
    trends = Self.trends(ledger)
    self.releases = releases
    self.completed = Dictionary(completed.map { ($0.rawValue, $1) }) { $1 }
    self.failures = failures
    windows = ledger.windows
    self.tolerance = tolerance
    findings = SoakVerdict(self).findings
  }

  private static func trends(_ ledger: SoakLedger) -> [String: SoakTrend] {
    guard !ledger.usage.isEmpty else { return [:] }
    return SoakQuantity.all.reduce(into: [:]) { trends, quantity in
      trends[quantity.name] = SoakTrend(
        ledger.usage.map { ($0.second, $0.usage[keyPath: quantity.path]) }
      )
    }
  }
}

/// A zone that was filled and deleted, and what became of its space.
public struct SoakRelease: Codable, Hashable, Sendable {
  /// Bytes of the database file before the zone was filled.
  public var before: Double
  /// Bytes of it with the zone.
  public var full: Double
  /// Bytes of it afterwards.
  public var after: Double
  /// Seconds from the deletion until the file was as small as it may be, or until it was waited for no longer.
  public var seconds: Double

  /// A release from its parts.
  public init(before: Double, full: Double, after: Double, seconds: Double) {
    (self.before, self.full, self.after, self.seconds) = (before, full, after, seconds)
  }

  /// Whether enough was given back.
  public func isEnough(_ tolerance: SoakTolerance) -> Bool {
    after - before <= tolerance.remainingSpace * max(full - before, 0)
  }
}

/// Something of which a server occupies as much at the end as at the beginning.
struct SoakQuantity: Sendable {
  let name: String
  let unit: String
  /// How many of what is measured are one of the unit.
  let scale: Double
  let path: any KeyPath<SoakUsage, Double> & Sendable
  let tolerance: any KeyPath<SoakTolerance, SoakTolerance.Growth> & Sendable

  private static let mebibyte = Double(1 << 20)

  static let all = [
    Self(
      name: "memory",
      unit: "MiB",
      scale: mebibyte,
      path: \.memoryBytes,
      tolerance: \.memory
    ),
    Self(name: "files", unit: "", scale: 1, path: \.files, tolerance: \.files),
    Self(name: "threads", unit: "", scale: 1, path: \.threads, tolerance: \.threads),
    Self(name: "log", unit: "MiB", scale: mebibyte, path: \.logBytes, tolerance: \.log),
    Self(
      name: "database",
      unit: "MiB",
      scale: mebibyte,
      path: \.databaseBytes,
      tolerance: \.database
    ),
  ]
}
