/// What is known about the reasons for slow calls of one second.
public struct SoakEvidence: Hashable, Sendable {
  /// Why a call may have been slow.
  public enum Cause: String, Codable, CaseIterable, Sendable {
    /// A commit took that long.
    case commit
    /// A sync of the disk took that long, in a commit or a checkpoint.
    case sync
    /// A piece of maintenance took that long.
    case maintenance
    /// The log was moved into the database file.
    case checkpoint
    /// A thread of the server was ready that long and had no processor.
    case serverScheduling = "server without processor"
    /// A thread of the caller was ready that long and had no processor.
    case callerScheduling = "caller without processor"
    /// A thread that only sleeps was woken so late: nothing ran on the machine, or only others did.
    case machine
    /// The server took that long for a call of the method.
    case server
    /// Nothing that is measured explains it.
    case unknown
  }

  /// The longest in the second, in milliseconds, by what it was; of histograms, the upper bound of the bucket.
  public var longest: [Cause: Double]
  /// The slowest calls that the server logged in the second, in milliseconds, by method.
  public var slowCalls: [String: Double]
  /// From which duration on the server logs a call, in milliseconds.
  public var slowCallThreshold: Double
  /// Whether the log was moved.
  public var hasCheckpoint: Bool

  /// Evidence from its parts.
  public init(
    longest: [Cause: Double] = [:],
    slowCalls: [String: Double] = [:],
    slowCallThreshold: Double = .infinity,
    hasCheckpoint: Bool = false
  ) {
    self.longest = longest
    self.slowCalls = slowCalls
    self.slowCallThreshold = slowCallThreshold
    self.hasCheckpoint = hasCheckpoint
  }

  /// The evidence of two seconds that follow each other.
  func joined(with other: SoakEvidence) -> SoakEvidence {
    SoakEvidence(
      longest: longest.merging(other.longest, uniquingKeysWith: max),
      slowCalls: slowCalls.merging(other.slowCalls, uniquingKeysWith: max),
      slowCallThreshold: slowCallThreshold,
      hasCheckpoint: hasCheckpoint || other.hasCheckpoint
    )
  }

  /// What explains at least half of a call's duration.
  ///
  /// - Parameters:
  ///   - milliseconds: How long the call took.
  ///   - methods: What it called.
  /// - Returns: The causes; `unknown` alone if there is none.
  public func causes(of milliseconds: Double, methods: [String]) -> [Cause] {
    let half = milliseconds / 2
    var causes = Cause.allCases.filter { longest[$0, default: 0] >= half }
    if hasCheckpoint, causes.contains(where: { [.sync, .commit].contains($0) }) {
      causes.append(.checkpoint)
    }
    if methods.contains(where: { slowCalls[$0, default: 0] >= half }) { causes.append(.server) }
    return causes.isEmpty ? [.unknown] : causes
  }

  /// Whether the server would have logged the call if half of the time had passed within it, and did not.
  public func excludesServer(_ milliseconds: Double, methods: [String]) -> Bool {
    milliseconds / 2 >= slowCallThreshold
      && !methods.contains { slowCalls[$0, default: 0] >= milliseconds / 2 }
  }
}
