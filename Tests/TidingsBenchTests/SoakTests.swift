import BenchCore
import Testing

@Suite struct SoakTests {
  private static let methods = ["save": ["Records/Modify"]]

  private func slot(
    _ second: Double,
    _ activities: Set<SoakActivity> = [],
    round: Int = 1,
    milliseconds: [Double] = [],
    beforeEnd: Double = 0,
    _ evidence: SoakEvidence = SoakEvidence(),
    evidenceLength: Double = 1,
    memory: Double = 0,
    log: Double = 0
  ) -> SoakSlot {
    SoakSlot(
      second: second,
      length: 1,
      activities: activities,
      round: round,
      calls: milliseconds.map {
        SoakCall("save", latency: UInt64($0 * 1e6), age: $0 / 1_000 + beforeEnd)
      },
      evidence: evidence,
      evidenceLength: evidenceLength,
      usage: SoakUsage(memoryBytes: memory, files: 40, threads: 12, logBytes: log)
    )
  }

  private func report(
    _ slots: [SoakSlot],
    releases: [SoakRelease] = [],
    failures: [String: Int] = [:],
    completed: [SoakActivity] = SoakActivity.compared,
    rates: [String: Double] = ["save": 50]
  ) throws -> SoakReport {
    var ledger = SoakLedger(
      methods: Self.methods,
      windowSeconds: 10,
      callsMin: SoakTolerance().callsMin
    )
    for slot in slots { ledger.add(slot) }
    ledger.finish(at: slots.last?.second ?? 0)
    let report = SoakReport(
      machine: Machine(
        processor: "P",
        cores: 2,
        kernel: "K",
        build: "debug",
        zeroMQ: "4",
        sqlite: "3",
        date: "D"
      ),
      settings: ["seed": "1"],
      seconds: Double(slots.count),
      ledger: ledger,
      rates: rates,
      releases: releases,
      completed: Dictionary(uniqueKeysWithValues: completed.map { ($0, 1) }),
      failures: failures,
      tolerance: SoakTolerance()
    )
    #expect(try SoakReport(json: report.json()) == report)
    return report
  }

  /// A minute of calls alone, and then ten seconds of each activity.
  private func run(
    _ milliseconds: Double = 4,
    during: [SoakActivity: Double] = [:],
    round: Int = 1,
    callsPerSecond: Int = 50,
    memory: (Double) -> Double = { _ in 1e8 },
    log: Double = 1e7
  ) -> [SoakSlot] {
    let activities =
      [SoakActivity?](repeating: nil, count: 60)
      + SoakActivity.compared.flatMap { [SoakActivity?](repeating: $0, count: 10) }
    return activities.enumerated().map { index, activity in
      let taken = activity.flatMap { during[$0] } ?? milliseconds
      return slot(
        Double((round - 1) * activities.count + index + 1),
        activity.map { [$0] } ?? [],
        round: round,
        milliseconds: [Double](repeating: taken, count: callsPerSecond),
        memory: memory(Double(index)),
        log: log
      )
    }
  }

  @Test("a server that stays as it was passes")
  func passes() throws {
    let report = try report(run())
    #expect(report.findings == [])
    #expect(report.text().hasSuffix("nothing was found\n"))
    #expect(report.windows.count == 11)
    #expect(report.windows.allSatisfy { $0.calls["save"]?.calls == 500 })
  }

  @Test("calls may take three times as long during an activity, and not longer")
  func slowdowns() throws {
    #expect(try report(run(during: [.backup: 11.5])).findings == [])
    let slow = try report(run(during: [.backup: 13, .checkpoint: 40]))
    #expect(slow.findings.count == 2)
    #expect(slow.findings.first?.hasPrefix("p99 of save during backup is 3.2") == true)
    // What a busy processor adds to short calls is no finding.
    #expect(try report(run(0.2, during: [.backup: 5])).findings == [])
    #expect(try report(run(0.2, during: [.backup: 7])).findings.count == 1)
  }

  @Test("what is slow in most rounds is found, and what is slow in some of them is not")
  func rounds() throws {
    func findings(slow: Set<Int>) throws -> [String] {
      try report(
        (1...5).flatMap { run(during: slow.contains($0) ? [.space: 900] : [:], round: $0) }
      )
      .findings
    }
    #expect(try findings(slow: []) == [])
    #expect(try findings(slow: [2, 5]) == [])
    let found = try findings(slow: [1, 4, 5])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("p99 of save during space is 22") == true, "\(found)")
    #expect(found.first?.contains("(accepted: 3.00; median of 5, greatest 22") == true, "\(found)")
  }

  @Test("of two rounds, both have to be slow", arguments: [[1], [1, 2]])
  func fewRounds(slow: [Int]) throws {
    let report = try report(
      [1, 2].flatMap { run(during: slow.contains($0) ? [.backup: 90] : [:], round: $0) }
    )
    #expect(report.findings.count == slow.count - 1, "\(report.findings)")
  }

  @Test("an activity in slow minutes is compared with calls alone in the same minutes")
  func slowRounds() throws {
    // Each other round is slow, and indexes are built only in these.
    let slow = Dictionary(uniqueKeysWithValues: SoakActivity.compared.map { ($0, 100.0) })
    let report = try report(
      (1...6).flatMap { round in
        round % 2 == 0
          ? run(100, during: slow, round: round)
          : run(4, round: round).filter { $0.activities != [.index] }
      }
    )
    #expect(report.findings == [])
    let comparisons = report.rows.first { $0.activity == .index }?.comparisons ?? []
    #expect(comparisons.count == 3)
    #expect(comparisons.allSatisfy { $0.during == $0.alone && $0.alone > 99_000 })
  }

  @Test("rounds with few calls of a kind are taken together, and none is left out")
  func fewCallsInARound() throws {
    // 100 calls during each activity of a round, and 600 alone.
    let slots = (1...7).flatMap { round in
      run(during: round == 7 ? [.index: 30] : [:], round: round, callsPerSecond: 10)
    }
    let report = try report(slots, rates: [:])
    let comparisons = report.rows.first { $0.activity == .index }?.comparisons ?? []
    #expect(comparisons.map { $0.during > 20_000 } == [false, true])
    #expect(report.rows.first { $0.activity == nil }?.comparisons == [])
  }

  @Test("calls during an activity are compared though there were none alone in the round")
  func withoutCallsAlone() throws {
    let busy = run(during: [.checkpoint: 90], round: 1).filter { $0.activities == [.checkpoint] }
    let report = try report(busy + run(during: [.checkpoint: 90], round: 2), rates: [:])
    #expect(report.rows.first { $0.activity == .checkpoint }?.comparisons.count == 1)
    #expect(report.findings.count == 1)
  }

  @Test("calls of the warm-up count for nothing")
  func warmup() throws {
    let early = (1...60).map {
      slot(Double($0) - 60, [.warmup], milliseconds: [900], memory: Double($0) * 1e8)
    }
    let report = try report(early + run())
    #expect(report.findings == [])
    #expect(report.rows.first { $0.activity == .warmup }?.calls.calls == 60)
  }

  @Test("memory that grows is found, and not what rises and falls or jumps once")
  func memory() throws {
    let growing = try report(run(memory: { 1e8 + $0 * 4e5 }))
    #expect(growing.findings.count == 1)
    #expect(growing.findings.first?.hasPrefix("memory grew by 41.6 MiB") == true)
    #expect(
      try report(run(memory: { 1e8 + $0.truncatingRemainder(dividingBy: 10) * 4e6 })).findings == []
    )
    #expect(try report(run(memory: { $0 == 50 ? 9e8 : 1e8 })).findings == [])
  }

  @Test("a log above its bound is found")
  func log() throws {
    #expect(try report(run(log: 5e8)).findings.first?.hasPrefix("log grew by 0") == true)
  }

  @Test("space that is kept, calls that fail and activities that did not happen are found")
  func others() throws {
    let kept = SoakRelease(before: 1e8, full: 2e8, after: 1.5e8, seconds: 120)
    let given = SoakRelease(before: 1e8, full: 2e8, after: 1.2e8, seconds: 20)
    #expect(try report(run(), releases: [given]).findings == [])
    #expect(try report(run(), releases: [given, kept]).findings.count == 1)
    #expect(try report(run(), failures: ["save: no": 3]).findings == ["3 × failed: save: no"])
    #expect(
      try report(run(), completed: [.retention, .index, .space, .checkpoint]).findings
        == ["backup did not happen"]
    )
    let few = Array(run().dropLast(8))
    #expect(
      try report(few).findings == ["too few calls during checkpoint to compare their p99"]
    )
  }

  @Test("the slowest call has the causes that explain half of it")
  func causes() throws {
    let evidence = SoakEvidence(
      longest: [.sync: 100, .commit: 250, .maintenance: 2.5, .serverScheduling: 90],
      slowCalls: ["Records/Modify": 170],
      slowCallThreshold: 10,
      hasCheckpoint: true
    )
    #expect(
      evidence.causes(of: 190, methods: ["Records/Modify"]) == [
        .commit, .sync, .checkpoint, .server,
      ]
    )
    #expect(evidence.causes(of: 5, methods: ["Zones/Fetch"]).contains(.maintenance))
    #expect(!evidence.excludesServer(190, methods: ["Records/Modify"]))
    #expect(evidence.excludesServer(190, methods: ["Zones/Fetch"]))
    #expect(!evidence.excludesServer(15, methods: ["Zones/Fetch"]))
    #expect(SoakEvidence().causes(of: 5, methods: []) == [.unknown])
    #expect(SoakEvidence(longest: [.machine: 3]).causes(of: 5, methods: []) == [.machine])
    let report = try report([slot(1, milliseconds: [3, 190, 4], evidence), slot(2)])
    #expect(report.rows.first?.slowest?.second == 1)
    #expect(report.rows.first?.slowest?.causes.contains(.commit) == true)
  }

  @Test("the slowest thousandth has its causes, each with its part")
  func tail() throws {
    var slots = (1...100).map { slot(Double($0), milliseconds: [Double](repeating: 2, count: 99)) }
    for (index, cause) in [SoakEvidence.Cause.sync, .sync, .sync, .commit].enumerated() {
      slots.append(
        slot(Double(101 + index), milliseconds: [40, 44, 48], SoakEvidence(longest: [cause: 45]))
      )
    }
    let row = try report(slots, rates: [:]).rows.first
    #expect(
      row?.tail == [SoakShare(cause: .sync, part: 0.75), SoakShare(cause: .commit, part: 0.25)]
    )
  }

  @Test("calls that were not made are found, and calls that were delayed are not")
  func absent() throws {
    #expect(try report(run(), rates: ["save": 150]).findings == [])
    let findings = try report(run(), rates: ["save": 50, "push": 80]).findings
    #expect(findings == ["of 8,800 × push there were 0"])
  }

  @Test("a call that was delayed in the second before counts for what happened then")
  func older() throws {
    let report = try report([slot(1, [.backup]), slot(2, milliseconds: [1_500, 20])])
    #expect(report.rows.first { $0.activity == .backup }?.calls.calls == 1)
    #expect(report.rows.first { $0.activity == nil }?.calls.calls == 1)
  }

  @Test(
    "a call that began before what is known of its second has the causes of the second before too"
  )
  func earlierCauses() throws {
    let sync = SoakEvidence(longest: [.sync: 500])
    for (beforeEnd, length, cause) in [
      (0.7, 1.0, SoakEvidence.Cause.sync), (0.3, 1, .unknown), (0.3, 0.5, .sync),
    ] {
      let report = try report(
        [
          slot(1, [], sync),
          slot(2, milliseconds: [400], beforeEnd: beforeEnd, evidenceLength: length),
        ],
        rates: [:]
      )
      #expect(report.rows.first?.slowest?.causes == [cause], "\(beforeEnd) \(length)")
    }
    // What took less than half as long explains nothing.
    let report = try report(
      [slot(1, [], sync), slot(2, milliseconds: [1_100], beforeEnd: 0.5)],
      rates: [:]
    )
    #expect(report.rows.first?.slowest?.causes == [.unknown])
  }

  @Test("the growth of a quantity is the median of its slopes over the run")
  func trend() {
    let line = SoakTrend((0..<1_000).map { (Double($0), 5 + 0.5 * Double($0)) })
    #expect(abs(line.growth - 499.5) < 1)
    #expect((line.least, line.greatest) == (5, 504.5))
    #expect(SoakTrend([(3, 7)]).growth == 0)
  }
}
