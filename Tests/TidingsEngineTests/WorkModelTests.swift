internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// Groups of devices that share the work on notifications.
@Suite struct WorkModelTests {
  private static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  private final class Clock { var time: Int64 = 1_700_000_000_000 }

  /// An engine on a file, with a clock that moves when it is reported.
  private struct Store {
    let testDatabase: TestDatabase
    let clock = Clock()
    let limits: Limits
    private(set) var engine: Engine

    init(limits: Limits = Limits()) throws {
      self.limits = limits
      testDatabase = try TestDatabase()
      engine = try Self.open(testDatabase, limits, clock)
    }

    private static func open(
      _ database: TestDatabase,
      _ limits: Limits,
      _ clock: Clock
    ) throws -> Engine {
      try Engine(database.connect(), limits: limits) {
        ClockReading(undisturbed: Timestamp(millisecondsSince1970: clock.time))
      }
    }

    mutating func restart() throws { engine = try Self.open(testDatabase, limits, clock) }

    func commit<R>(_ body: (Engine) throws -> R) throws -> R {
      try engine.begin()
      // A call that is refused does not roll back what others did.
      let result = Result { try body(engine) }
      _ = try engine.commit()
      return try result.get()
    }

    /// - Returns: The channel.
    func subscribe(_ type: String) throws -> Int64 {
      try commit {
        // Another user's record teaches the type, which all users of the container share.
        var other = database
        other.owner = "teacher"
        let record = Record(recordID: RecordID(recordName: "of \(type)"), recordType: type)
        _ = try $0.modifyRecords(
          RecordChanges(database: other, saves: [record], deletions: [], policy: .allKeys),
          caller: Caller(user: "teacher", device: "")
        )
        return try $0.saveSubscription(
          Subscription(
            subscriptionID: type,
            recordType: type,
            predicate: .true,
            options: [.recordCreation]
          ),
          of: "ada",
          in: database
        ).channel
      }
    }

    func save(_ records: [(type: String, name: String)], device: String) throws {
      try commit {
        _ = try $0.modifyRecords(
          RecordChanges(
            database: database,
            saves: records.map {
              Record(recordID: RecordID(recordName: $0.name), recordType: $0.type)
            },
            deletions: [],
            policy: .allKeys
          ),
          caller: Caller(user: "ada", device: device)
        )
      }
    }

    func lease(
      _ group: String,
      device: String = "one",
      limit: Int = 0,
      seconds: Int = 30,
      startsAtEnd: Bool = false
    ) throws -> LeasePage {
      try commit { try lease($0, group, device, limit, seconds, startsAtEnd) }
    }

    func lease(
      _ engine: Engine,
      _ group: String,
      _ device: String,
      _ limit: Int,
      _ seconds: Int,
      _ startsAtEnd: Bool
    ) throws -> LeasePage {
      try engine.leaseNotifications(
        of: workGroup(group),
        for: Caller(user: "ada", device: device),
        limit: limit,
        timeout: VisibilityTimeout(.seconds(seconds)),
        startsAtEnd: startsAtEnd
      )
    }

    func settle(
      _ lease: String,
      of group: String,
      as settlement: LeaseSettlement,
      device: String = "one"
    ) throws -> ItemError? {
      try commit {
        try $0.settleNotifications(
          [lease],
          of: workGroup(group),
          as: settlement,
          for: Caller(user: "ada", device: device)
        )[0]
      }
    }

    private func workGroup(_ name: String) -> WorkGroup {
      WorkGroup(container: "default", environment: .development, name: name)
    }
  }

  @Test(
    "what each device gets and may settle is what a plain model says",
    arguments: 0..<TestDatabase.rounds(8)
  )
  func model(round: Int) throws {
    let seed = Seed.make("Work") &+ UInt64(round)
    var random = SplitMix64(seed: seed)
    var limits = Limits()
    limits.openLeasesMax = round.isMultiple(of: 3) ? 6 : 10_000
    if round.isMultiple(of: 2) { limits.answerBytesMax = 1 << 20 }
    var store = try Store(limits: limits)
    var model = WorkModel(openMax: limits.openLeasesMax)
    let types = (0..<4).map { "T\($0)" }
    let devices = ["one", "two", "three", ""]
    var channels: [String: Int64] = [:]
    var heads: [Int64: Int64] = [:]
    var active: Set<String> = []
    var names = 0
    var known: [(group: String, id: String, number: Int64, lease: String)] = []

    func lease(_ group: String, limit: Int, device: String) throws {
      let (seconds, atEnd) = (1 + random.below(30), random.oneIn(2))
      let now = store.clock.time
      if random.oneIn(15) {
        // A transaction that is rolled back hands out nothing.
        try store.engine.begin()
        _ = try? store.lease(store.engine, group, device, limit, seconds, atEnd)
        store.engine.rollback()
      }
      let expected = model.lease(
        group,
        device: device,
        limit: limit,
        until: now + Int64(seconds) * 1000,
        startsAtEnd: atEnd,
        at: now
      )
      do {
        let page = try store.lease(
          group,
          device: device,
          limit: limit,
          seconds: seconds,
          startsAtEnd: atEnd
        )
        let got = page.items.map { "\($0.id) \($0.deliveryCount)" }
        #expect(got == expected?.map { "\($0.event.id) \($0.number)" }, "seed \(seed)")
        for (item, event) in zip(page.items, expected ?? []) {
          #expect(
            item.isOwnChange == (!device.isEmpty && event.event.device == device),
            "seed \(seed)"
          )
          #expect(types.contains(item.subscriptionID), "seed \(seed)")
          known.append(
            (group, item.id.description, item.deliveryCount, item.leaseID.description)
          )
        }
        if !page.moreComing { #expect(!model.hasMore(group, at: now), "seed \(seed)") }
        if page.items.isEmpty {
          let next = model.groups[group]?.leases.filter {
            !$0.value.isDone && $0.value.expires > now
          }
          .map(\.value.expires).min()
          #expect(page.nextExpiry == next.map { .milliseconds($0 - now) }, "seed \(seed)")
        }
      } catch let error as ItemError {
        #expect(error.code == .limitExceeded && expected == nil, "seed \(seed): \(error)")
      }
    }

    for _ in 0..<400 {
      switch random.below(12) {
      case 0:
        let type = random.pick(types)
        if active.insert(type).inserted {
          channels[type] = try store.subscribe(type)
        } else if random.oneIn(2) {
          try store.commit {
            try $0.deleteSubscription(type, of: "ada", in: Self.database)
          }
          active.remove(type)
        }
      case 1...4:
        let device = random.pick(devices)
        let records = (0..<1 + random.below(4)).map { index in
          (type: random.pick(types), name: "r\(names + index)")
        }
        names += records.count
        try store.save(records, device: device)
        for record in records where active.contains(record.type) {
          let channel = channels[record.type] ?? 0
          heads[channel, default: 0] += 1
          model.log.append(.init(channel: channel, sequence: heads[channel] ?? 0, device: device))
        }
      case 5, 6, 7:
        try lease(
          random.pick(["a", "b", "c"]),
          limit: 1 + random.below(8),
          device: random.pick(devices)
        )
      case 8, 9:
        guard let (group, id, number, lease) = known.randomElement(using: &random) else { continue }
        let seconds = 1 + random.below(30)
        let until = store.clock.time + Int64(seconds) * 1000
        let (settlement, wanted): (LeaseSettlement, WorkModel.Settlement) =
          switch random.below(6) {
          case 0: (.released, .released)
          case 1: (.extended(try VisibilityTimeout(.seconds(seconds))), .extended(until: until))
          case 2: (.done(marksRead: true), .done(marksRead: true))
          default: (.done(marksRead: false), .done(marksRead: false))
          }
        // Now and then a device tries it with another's.
        let holder = model.groups[group]?.leases[id]?.device ?? ""
        let device = random.oneIn(4) ? random.pick(devices) : holder
        let error = try store.settle(
          lease,
          of: group,
          as: settlement,
          device: device
        )
        let succeeds = model.settle(
          id,
          number,
          of: group,
          as: wanted,
          by: device
        )
        #expect((error == nil) == succeeds, "seed \(seed): \(String(describing: error))")
        if let error { #expect(error.code == .unknownItem, "seed \(seed)") }
      case 10:
        guard let event = model.log.randomElement(using: &random) else { continue }
        let errors = try store.commit {
          try $0.markRead(
            [event.id],
            for: Caller(user: "ada", device: "two"),
            container: "default",
            environment: .development
          )
        }
        #expect(errors == [nil], "seed \(seed)")
        model.read.insert(event.id)
      default:
        store.clock.time += Int64(random.below(20_000))
        if random.oneIn(4) { try store.restart() }
      }
    }
    // In the end everything is worked on.
    for group in model.groups.keys.sorted() {
      for _ in 0..<2_000 where model.hasMore(group, at: store.clock.time) || random.oneIn(4) {
        try lease(group, limit: 5, device: "one")
        for (owner, id, number, lease) in known where owner == group {
          let error = try store.settle(
            lease,
            of: group,
            as: .done(marksRead: false)
          )
          let succeeds = model.settle(id, number, of: group, as: .done(marksRead: false), by: "one")
          #expect((error == nil) == succeeds, "seed \(seed)")
        }
        known.removeAll { $0.group == group }
        store.clock.time += 10_000
        let isOver = model.groups[group]?.leases.values.allSatisfy(\.isDone) ?? true
        if isOver, !model.hasMore(group, at: store.clock.time) { break }
      }
      let state = try #require(model.groups[group])
      for event in model.log.dropFirst(state.start) where !model.read.contains(event.id) {
        #expect(state.leases[event.id]?.isDone == true, "seed \(seed)")
      }
      #expect(try store.lease(group).items.isEmpty, "seed \(seed)")
    }
  }

  @Test("a group that is behind what is kept goes on with the oldest that is")
  func forgottenEvents() throws {
    let store = try Store()
    let channel = try store.subscribe("T")
    try store.save((1...9).map { ("T", "r\($0)") }, device: "two")
    let first = try store.lease("g", limit: 2)
    #expect(first.items.map(\.id.sequence) == [1, 2])
    try store.testDatabase.connect().execute("DELETE FROM events WHERE sequence <= 5")
    store.clock.time += 60_000
    // What was leased is gone too, and nobody waits for it.
    let next = try store.lease("g")
    #expect(next.items.map(\.id.sequence) == [6, 7, 8, 9])
    #expect(next.items.allSatisfy { $0.id.channel == channel })
    let error = try store.settle(
      first.items[0].leaseID.description,
      of: "g",
      as: .done(marksRead: true)
    )
    #expect(error?.code == .unknownItem)
  }

  @Test("names, timeouts, groups and leases that are too many are refused with what to do")
  func refusals() throws {
    var limits = Limits()
    limits.workGroupsPerUserMax = 2
    limits.openLeasesMax = 3
    let store = try Store(limits: limits)
    _ = try store.subscribe("T")
    try store.save((1...9).map { ("T", "r\($0)") }, device: "two")
    func code(_ body: () throws -> Void) -> ItemError.Code? {
      do {
        try body()
        return nil
      } catch {
        return (error as? ItemError)?.code
      }
    }
    #expect(code { _ = try store.lease("") } == .invalidArguments)
    #expect(code { _ = try store.lease("å") } == .invalidArguments)
    #expect(code { _ = try store.lease(String(repeating: "g", count: 256)) } == .invalidArguments)
    #expect(code { _ = try store.lease("g", seconds: 0) } == .invalidArguments)
    #expect(code { _ = try store.lease("g", seconds: 12 * 3600 + 1) } == .invalidArguments)
    #expect(try store.lease("g").items.count == 3)
    #expect(code { _ = try store.lease("g") } == .limitExceeded)
    #expect(try store.lease("h", startsAtEnd: true).items.isEmpty)
    #expect(code { _ = try store.lease("i") } == .limitExceeded)
    for text in ["", "1", "1-1-1", "1-1-1-1-1", "a-1-1-1", "0-1-1-1", "1-1-1--1"] {
      let error = try store.settle(text, of: "g", as: .released)
      #expect(error?.code == .invalidArguments, "\(text)")
    }
    #expect(try store.settle("1-1-1-2", of: "g", as: .released)?.code == .unknownItem)
    #expect(try store.settle("1-1-1-1", of: "h", as: .released)?.code == .unknownItem)
    #expect(try store.settle("1-1-1-1", of: "nobody", as: .released)?.code == .unknownItem)
    #expect(try store.settle("1-1-1-1", of: "g", as: .released) == nil)
    #expect(try store.lease("g").items.map(\.leaseID.description) == ["1-1-1-2"])
  }
}
