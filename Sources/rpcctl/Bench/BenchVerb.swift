internal import BenchStatistics
internal import CommandLineTools
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// The interval of progress messages, and of the windows of a soak.
  private static let progressPause = Duration.milliseconds(500)
  private static let soakWindow = Duration.seconds(10)

  static let bench = Verb(
    command: Command(
      "bench",
      "Measure the latency, throughput and errors of a running server.",
      operands: "rpc|write|read|query|push-latency|fanout|catchup|soak",
      completion: .live("modes"),
      options: BenchPlan.options,
      discussion: """
        rpc calls the health service; write saves a new record with each call; read and query fetch one
        of --records; push-latency saves a record and waits for its notification; fanout does the same
        with --subscribers; catchup reads all changes of a zone; soak mixes reads, writes and queries for
        a minute, or --duration, and prints results every ten seconds.

        Without --rate, each of --in-flight calls is followed by the next one. With --rate, calls start
        on schedule, and latencies are measured from the scheduled start, so that a pause of the server
        shows in all calls that it delays. If --in-flight is too low for the schedule, latencies rise:
        raise it.

        Works in a temporary zone of the private database, which it deletes at the end, also on Ctrl-C.
        Two things remain: the type of its records in the schema of development (in production set --type
        to an existing one), and the notifications of push-latency and fanout, marked read, in the user's
        log. A concurrent `watch` prints them. To measure the server's own cost, use tidings-bench:
        docs/benchmarks.md. Exits with 4 if calls failed.

        Examples:
          rpcctl bench rpc -n 1000
          rpcctl bench write --in-flight 32 --duration 10s --warmup 2s -o json
          rpcctl bench read --in-flight 64 -r 2000 --duration 30s --load line
          rpcctl bench push-latency -r 100 --in-flight 10
        """
    ),
    dryRun: .refused("it measures real calls"),
    run: { invocation in
      let plan = try BenchPlan(invocation.arguments)
      guard invocation.settings.scope == .private else {
        throw UsageError("bench requires the private database, for its temporary zone")
      }
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      // An interrupted run still deletes its zone.
      Interruption.enableCancellation()
      let report = try await TemporaryZone.with("rpcctl-bench", invocation, session) { zone in
        try await measure(BenchCalls(plan, zone), session, invocation)
      }
      var results = Results(columns: BenchReport.columns)
      results.append(report.json, report.row)
      _ = results.finish(invocation.output)
      if let errors = report.errorText { invocation.output.log("failed: \(errors)") }
      if Task.isCancelled { throw Interrupted() }
      return report.counts.failed == 0 ? .success : .itemsFailed
    }
  )

  private static func measure(
    _ calls: BenchCalls,
    _ session: Session,
    _ invocation: Invocation
  ) async throws -> BenchReport {
    let plan = calls.plan
    switch plan.mode {
    case .rpc, .write: return await run(plan, calls.call(), invocation.output)
    case .read, .query, .catchup, .soak:
      if invocation.output.showsProgress {
        invocation.output.show(progress: "saving \(counted(plan.records, "record"))")
      }
      try await calls.seed()
      return await run(plan, calls.call(), invocation.output)
    case .pushLatency, .fanout:
      // Development adds the type with the first record.
      try await calls.zone.save([calls.zone.record("first", plan.type, number: 0, text: "")])
      let zone = calls.zone
      return try await zone.withSubscription(to: plan.type, invocation, session) { start in
        let sources = try (0..<plan.subscribers).map { _ in
          try session.notifications(start) { _ in }
        }
        return try await PushWaiter.with(sources, subscriptionID: zone.id.zoneName) { waiter in
          let call = calls.call(waiter)
          // All are registered once the first notification arrived.
          _ = try await call(-1)
          return await run(plan, call, invocation.output)
        }
      }
    }
  }

  private static func run(
    _ plan: BenchPlan,
    _ call: @escaping BenchLoop.Call,
    _ output: Output
  ) async -> BenchReport {
    var first = 0
    if let warmup = plan.warmup {
      if output.showsProgress { output.show(progress: "warming up for \(warmup.shortText)") }
      let loop = BenchLoop(
        inFlight: plan.inFlight,
        callsMax: .max,
        duration: warmup,
        schedule: plan.rate.map { .constant($0) },
        call: call
      )
      first = await loop.run(from: 0, into: BenchTally()).next
    }
    let tally = BenchTally()
    let progress = reportProgress(plan, tally, output)
    defer {
      progress?.cancel()
      output.endProgress()
    }
    let loop = BenchLoop(
      inFlight: plan.inFlight,
      callsMax: plan.calls,
      duration: plan.duration,
      schedule: plan.schedule,
      call: call
    )
    let elapsed = await loop.run(from: first, into: tally).elapsed
    return BenchReport(plan: plan, counts: tally.counts, elapsed: elapsed)
  }

  /// Reports progress: a soak in permanent lines, other modes on a terminal only.
  private static func reportProgress(
    _ plan: BenchPlan,
    _ tally: BenchTally,
    _ output: Output
  ) -> Task<Void, Never>? {
    let stays = plan.mode == .soak
    guard stays || output.showsProgress else { return nil }
    let pause = stays ? soakWindow : progressPause
    let begin = ContinuousClock.now
    return Task {
      while true {
        do { try await Task.sleep(for: pause) } catch { return }
        let report = BenchReport(
          plan: plan,
          counts: stays ? tally.takeWindow() : tally.counts,
          elapsed: stays ? pause : .now - begin
        )
        if stays {
          output.log("\((ContinuousClock.now - begin).shortText)  \(report.progressLine)")
        } else {
          output.show(progress: report.progressLine)
        }
      }
    }
  }
}
