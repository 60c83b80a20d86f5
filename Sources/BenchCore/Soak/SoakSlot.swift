/// A call of a soak.
public struct SoakCall: Hashable, Sendable {
  /// What was called, for example `save`.
  public var kind: String
  /// Nanoseconds from when it was to begin until its answer.
  public var latency: UInt64
  /// Seconds from when it was to begin until the end of its slot.
  public var age: Double

  /// A call from its parts.
  public init(_ kind: String, latency: UInt64, age: Double) {
    (self.kind, self.latency, self.age) = (kind, latency, age)
  }
}

/// One second of a soak.
public struct SoakSlot: Sendable {
  /// When it ended, in seconds since the run began.
  public var second: Double
  /// How long it was, in seconds.
  public var length: Double
  /// What the server did beside the calls at any time in it.
  public var activities: Set<SoakActivity>
  /// How often the server has begun with the first of its activities.
  public var round: Int
  /// The calls that were answered in it.
  public var calls: [SoakCall]
  /// Why they may have been slow.
  public var evidence: SoakEvidence
  /// Of how many seconds before its end the evidence is: who looks at a server that stands still gets the answer late, and
  /// with it what the slot before did not have yet.
  public var evidenceLength: Double
  /// What the server occupied at its end.
  public var usage: SoakUsage

  /// A slot from its parts.
  public init(
    second: Double,
    length: Double,
    activities: Set<SoakActivity>,
    round: Int,
    calls: [SoakCall],
    evidence: SoakEvidence,
    evidenceLength: Double,
    usage: SoakUsage
  ) {
    self.second = second
    self.length = length
    self.activities = activities
    self.round = round
    self.calls = calls
    self.evidence = evidence
    self.evidenceLength = evidenceLength
    self.usage = usage
  }
}

/// What a server occupies.
public struct SoakUsage: Codable, Hashable, Sendable {
  /// Bytes of memory that are resident.
  public var memoryBytes: Double
  /// Open file descriptors.
  public var files: Double
  /// Threads.
  public var threads: Double
  /// Bytes of the file of the database's log.
  public var logBytes: Double
  /// Bytes of the database's file.
  public var databaseBytes: Double

  /// Usage from its parts.
  public init(
    memoryBytes: Double = 0,
    files: Double = 0,
    threads: Double = 0,
    logBytes: Double = 0,
    databaseBytes: Double = 0
  ) {
    self.memoryBytes = memoryBytes
    self.files = files
    self.threads = threads
    self.logBytes = logBytes
    self.databaseBytes = databaseBytes
  }
}
