/// Adds up the seconds of a soak: by kind of call and activity, by round, and by window.
public struct SoakLedger: Sendable {
  /// The methods that each kind of call calls.
  private let methods: [String: [String]]
  private let windowSeconds: Double
  private var groups: [SoakKey: Group] = [:]
  private var rounds: SoakRounds
  /// How many calls of each kind there were, whatever ran beside them.
  private(set) var counts: [String: Int] = [:]
  private var open: OpenWindow?
  private var previousActivities: Set<SoakActivity> = []
  private var previousEvidence = SoakEvidence()
  /// The seconds of each activity, for the whole run.
  private var seconds: [SoakActivity?: Double] = [:]
  private(set) var windows: [SoakWindow] = []
  /// What the server occupied, one for each slot after the warm-up.
  private(set) var usage: [(second: Double, usage: SoakUsage)] = []

  private struct OpenWindow {
    var begin: Double
    var activities: Set<SoakActivity> = []
    var kinds: [String: LatencyHistogram] = [:]
  }

  private struct Group {
    var latencies = LatencyHistogram()
    var causes = SoakCauses()
    var slowest: SoakPeak?

    mutating func note(
      _ call: SoakCall,
      _ slot: SoakSlot,
      _ evidence: SoakEvidence,
      _ methods: [String]
    ) {
      latencies.record(call.latency)
      let milliseconds = Double(call.latency) / 1e6
      let causes = evidence.causes(of: milliseconds, methods: methods)
      self.causes.note(causes, of: milliseconds)
      guard milliseconds > slowest?.milliseconds ?? 0 else { return }
      slowest = SoakPeak(
        milliseconds: milliseconds,
        second: slot.second,
        causes: causes,
        isOutsideServer: evidence.excludesServer(milliseconds, methods: methods)
      )
    }
  }

  /// An empty ledger.
  ///
  /// - Parameters:
  ///   - methods: The methods that each kind of call calls, by its name.
  ///   - windowSeconds: How long a window is.
  ///   - callsMin: Fewer calls than this are not compared.
  public init(methods: [String: [String]], windowSeconds: Double, callsMin: Int) {
    self.methods = methods
    self.windowSeconds = windowSeconds
    rounds = SoakRounds(callsMin: callsMin)
  }

  /// Adds a second.
  public mutating func add(_ slot: SoakSlot) {
    // A call that began in the second before may have been delayed by what happened there.
    let activitiesOfBoth = slot.activities.union(previousActivities)
    let evidenceOfBoth = slot.evidence.joined(with: previousEvidence)
    (previousActivities, previousEvidence) = (slot.activities, slot.evidence)
    rounds.enter(slot.round)
    for call in slot.calls {
      count(
        call,
        during: call.age > slot.length ? activitiesOfBoth : slot.activities,
        slot,
        call.age > slot.evidenceLength ? evidenceOfBoth : slot.evidence
      )
      counts[call.kind, default: 0] += 1
    }
    for activity in Self.keys(of: slot.activities) { seconds[activity, default: 0] += slot.length }
    if !slot.activities.contains(.warmup) { usage.append((slot.second, slot.usage)) }
    addToWindow(slot)
  }

  /// Ends the last round and the last window.
  public mutating func finish(at second: Double) {
    rounds.finish()
    if let open { close(open, at: second, usage.last?.usage ?? SoakUsage()) }
    open = nil
  }

  /// The calls of each kind and activity.
  public var rows: [SoakRow] {
    methods.keys.sorted().flatMap { kind in
      ([nil] + SoakActivity.allCases).compactMap { activity in
        let key = SoakKey(kind: kind, activity: activity)
        guard let group = groups[key],
          let calls = Measurement(
            group.latencies,
            elapsedNanoseconds: UInt64(seconds[activity, default: 0] * 1e9)
          )
        else { return nil }
        return SoakRow(
          kind: kind,
          activity: activity,
          calls: calls,
          tail: group.causes.shares(
            from: min(calls.p999 / 1_000, group.slowest?.milliseconds ?? .infinity)
          ),
          slowest: group.slowest,
          comparisons: rounds.comparisons[key, default: []]
        )
      }
    }
  }

  private static func keys(of activities: Set<SoakActivity>) -> [SoakActivity?] {
    activities.isEmpty ? [nil] : activities.sorted()
  }

  private mutating func count(
    _ call: SoakCall,
    during activities: Set<SoakActivity>,
    _ slot: SoakSlot,
    _ evidence: SoakEvidence
  ) {
    for activity in Self.keys(of: activities) {
      let key = SoakKey(kind: call.kind, activity: activity)
      groups[key, default: Group()].note(call, slot, evidence, methods[call.kind, default: []])
      rounds.record(call.latency, key)
    }
  }

  private mutating func addToWindow(_ slot: SoakSlot) {
    var window = open ?? OpenWindow(begin: slot.second - slot.length)
    window.activities.formUnion(slot.activities)
    for call in slot.calls {
      window.kinds[call.kind, default: LatencyHistogram()].record(call.latency)
    }
    open = window
    guard slot.second - window.begin >= windowSeconds - slot.length / 2 else { return }
    close(window, at: slot.second, slot.usage)
    open = nil
  }

  private mutating func close(_ window: OpenWindow, at second: Double, _ usage: SoakUsage) {
    let nanoseconds = UInt64(max(second - window.begin, 0) * 1e9)
    windows.append(
      SoakWindow(
        begin: window.begin,
        end: second,
        activities: window.activities.sorted(),
        calls: window.kinds.compactMapValues {
          Measurement($0, elapsedNanoseconds: nanoseconds)
        },
        usage: usage
      )
    )
  }
}

/// The calls of one kind during one activity.
public struct SoakRow: Codable, Hashable, Sendable {
  /// What was called.
  public var kind: String
  /// What the server did beside them; `nil`: nothing.
  public var activity: SoakActivity?
  /// How long they took.
  public var calls: Measurement
  /// Why the slowest thousandth was slow: which part of it a cause explains.
  public var tail: [SoakShare]
  /// The slowest of them.
  public var slowest: SoakPeak?
  /// The p99 beside the activity and without any, for each round that had enough calls of both.
  public var comparisons: [SoakComparison]
}

/// A slow call, and why it was slow.
public struct SoakPeak: Codable, Hashable, Sendable {
  /// How long it took.
  public var milliseconds: Double
  /// When its second ended, since the run began.
  public var second: Double
  /// What explains at least half of it.
  public var causes: [SoakEvidence.Cause]
  /// The server would have logged it if half of the time had passed within it, and did not.
  public var isOutsideServer: Bool
}

/// A stretch of a soak.
public struct SoakWindow: Codable, Hashable, Sendable {
  /// Seconds since the run began.
  public var begin: Double
  /// Seconds since the run began.
  public var end: Double
  /// What the server did beside the calls at any time in it.
  public var activities: [SoakActivity]
  /// How long calls took, by kind.
  public var calls: [String: Measurement]
  /// What the server occupied at its end.
  public var usage: SoakUsage
}
