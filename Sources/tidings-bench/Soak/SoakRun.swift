import BenchCore
import Glibc
import TidingsClient

/// A soak: preparations, calls and what the server does beside them, and the report.
struct SoakRun {
  /// From which duration on the server keeps a call as slow.
  static let slowCallMilliseconds = 10
  private static let limits = [
    // Superseded versions are kept for a day otherwise, and grow with each save.
    "ancestors-max=2000"
  ]

  private let bench: Bench
  private let settings: SoakSettings

  init(_ bench: Bench, _ settings: SoakSettings) { (self.bench, self.settings) = (bench, settings) }

  func report() async throws -> SoakReport {
    let server = try bench.startServer(
      limits: Self.limits + settings.limits,
      options: [
        "--slow-call-threshold", "\(Self.slowCallMilliseconds)ms", "--operator-endpoint", "0",
      ]
    )
    defer { server.stop() }
    let world = try await SoakWorld(server, seed: settings.seed)
    let administrator = try await ClientCase.makeClient(server, device: "soak")
    let (recorder, releases) = (SoakRecorder(), SoakReleases())
    let jobs = SoakJobs(server, administrator, settings, recorder, releases)
    bench.say("soak: preparing")
    try await world.prepare()
    try await jobs.rehearse()
    var sampler = SoakSampler(server, administrator, settings)
    bench.say("soak: \(settings.warmup) s of warm-up")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for load in world.loads(server.endpoint, rate: settings.rate, recorder) {
        group.addTask { await load.run(recorder) }
      }
      for user in world.users { group.addTask { await user.listen(recorder) } }
      let warmup = UInt64(settings.warmup)
      group.addTask {
        let end = Clock.now() + warmup * 1_000_000_000
        while Clock.now() < end, !recorder.isStopped {
          try? await Task.sleep(for: .milliseconds(100))
        }
        recorder.end(.warmup)
        await jobs.run()
      }
      try await watch(&sampler, recorder)
      recorder.stop()
      group.cancelAll()
      try await group.waitForAll()
    }
    await world.close()
    await administrator.close()
    return SoakReport(
      machine: .current(),
      settings: [
        "warm-up": "\(settings.warmup) s", "rate": "\(settings.rate) %", "seed": "\(settings.seed)",
        "limits": (Self.limits + settings.limits).joined(separator: " "),
      ],
      seconds: sampler.second,
      ledger: sampler.finish(),
      rates: Dictionary(
        uniqueKeysWithValues: SoakKind.allCases.map {
          ($0.rawValue, $0.expectedPerSecond * Double(settings.rate) / 100)
        }
      ),
      releases: releases.all,
      completed: recorder.completed,
      failures: recorder.failures,
      tolerance: settings.tolerance
    )
  }

  /// Looks at the server each second until the run has lasted long enough, or a signal came.
  private func watch(_ sampler: inout SoakSampler, _ recorder: SoakRecorder) async throws {
    var shown = 0.0
    while !Interruption.isRaised, settings.seconds == 0 || sampler.second < Double(settings.seconds)
    {
      try? await Task.sleep(for: .seconds(1))
      try await sampler.look(recorder)
      if sampler.second - shown >= settings.windowSeconds {
        shown = sampler.second
        let failures = recorder.failures.values.reduce(0, +)
        bench.say("soak: \(Int(sampler.second)) s, \(failures) calls failed")
      }
    }
  }
}
