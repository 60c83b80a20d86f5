import BenchCore
import Glibc
import TidingsClient
import TidingsProto

/// Looks at the server each second, and adds the second to the ledger.
struct SoakSampler {
  private static let histograms: [(name: String, cause: SoakEvidence.Cause)] = [
    ("tidings_commit_seconds", .commit), ("tidings_fsync_seconds", .sync),
    ("tidings_maintenance_seconds", .maintenance),
  ]

  private let database: String
  private let server: ProcessUsage
  private let caller = ProcessUsage(of: getpid())
  private let stalls = StallWatch()
  private let administration: TidingsV1.AdminService.Client
  private let began = Clock.now()
  private var previous: UInt64
  /// Until when the evidence was looked at.
  private var evidenceEnd: UInt64
  private var written: Int64 = 0
  private var counts: [SoakEvidence.Cause: [UInt64]] = [:]
  private var serverWaits: [String: UInt64] = [:]
  private var callerWaits: [String: UInt64] = [:]
  private var newestSlowCall = 0.0
  private(set) var ledger: SoakLedger

  init(_ server: ServerProcess, _ client: Client, _ settings: SoakSettings) {
    database = server.databasePath
    self.server = ProcessUsage(of: server.pid)
    administration = TidingsV1.AdminService.Client(client.transport)
    (previous, evidenceEnd) = (began, began)
    ledger = SoakLedger(
      methods: SoakKind.methods,
      windowSeconds: settings.windowSeconds,
      callsMin: settings.tolerance.callsMin
    )
  }

  /// Seconds since the run began.
  var second: Double { Double(Clock.now() - began) / 1e9 }

  /// Adds what happened since the last look.
  mutating func look(_ recorder: SoakRecorder) async throws {
    let now = Clock.now()
    let taken = recorder.take(at: now)
    var activities = taken.activities
    var evidence = SoakEvidence(slowCallThreshold: Double(SoakRun.slowCallMilliseconds))
    do {
      note(try await administration.fetchMetrics(.init()), in: &evidence)
    } catch {
      recorder.fail("metrics", error)
    }
    evidence.longest[.serverScheduling] = Self.longest(server.processorWaits, since: &serverWaits)
    evidence.longest[.callerScheduling] = Self.longest(caller.processorWaits, since: &callerWaits)
    evidence.longest[.machine] = stalls.take()
    let evidenceLength = Double(now - min(now, evidenceEnd)) / 1e9
    evidenceEnd = Clock.now()
    let file = FileFacts(database)
    // Nothing but a checkpoint writes into the database file.
    evidence.hasCheckpoint = written != 0 && file.written != written
    written = file.written
    if evidence.hasCheckpoint {
      activities.insert(.checkpoint)
      recorder.count(.checkpoint)
    }
    var usage = server.usage
    usage.databaseBytes = file.bytes
    usage.logBytes = FileFacts(database + "-wal").bytes
    ledger.add(
      SoakSlot(
        second: Double(now - began) / 1e9,
        length: Double(now - previous) / 1e9,
        activities: activities,
        round: taken.round,
        calls: taken.calls,
        evidence: evidence,
        evidenceLength: evidenceLength,
        usage: usage
      )
    )
    previous = now
  }

  mutating func finish() -> SoakLedger {
    ledger.finish(at: second)
    return ledger
  }

  private mutating func note(
    _ metrics: TidingsV1.FetchMetricsResponse,
    in evidence: inout SoakEvidence
  ) {
    for (name, cause) in Self.histograms {
      let family = metrics.families.first { $0.name == name }
      guard let histogram = family?.metrics.first?.histogram else { continue }
      let before = counts[cause] ?? histogram.counts
      let grown = histogram.counts.indices.last {
        $0 < before.count && histogram.counts[$0] > before[$0]
      }
      counts[cause] = histogram.counts
      guard let grown else { continue }
      let bound = grown < histogram.bounds.count ? histogram.bounds[grown] : .infinity
      evidence.longest[cause] = bound * 1000
    }
    for call in metrics.slowCalls {
      let time = Double(call.time?.seconds ?? 0) + Double(call.time?.nanos ?? 0) / 1e9
      guard time > newestSlowCall else { continue }
      let milliseconds = Double(call.durationMicroseconds) / 1000
      evidence.slowCalls[call.method] = max(
        evidence.slowCalls[call.method, default: 0],
        milliseconds
      )
    }
    if let last = metrics.slowCalls.last?.time {
      newestSlowCall = Double(last.seconds) + Double(last.nanos) / 1e9
    }
  }

  /// Milliseconds of the thread that waited longest since the last look.
  private static func longest(
    _ waits: [String: UInt64],
    since before: inout [String: UInt64]
  ) -> Double {
    defer { before = waits }
    guard !before.isEmpty else { return 0 }
    return waits.map { thread, wait in Double(wait &- before[thread, default: wait]) / 1e6 }.max()
      ?? 0
  }
}
