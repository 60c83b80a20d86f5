internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsProto

@testable internal import TidingsClient

/// Positions against a server whose pushes are lost and reordered, and a consumer that crashes.
@Suite struct InboxProgressTests {
  /// A server as a stream sees it: a log of channels, read marks, and unreliable pushes.
  private struct Server {
    static let controlTopic: [UInt8] = [0xff]
    static let channelCount = 5
    var heads = [UInt64](repeating: 0, count: channelCount)
    var log: [(id: String, channel: Int, number: UInt64, isMine: Bool)] = []
    var marks: [String] = []
    var inFlight: [(topic: [UInt8], push: TidingsV1.Push)] = []

    mutating func save(_ channel: Int, isMine: Bool) {
      heads[channel] += 1
      let number = heads[channel]
      log.append(("\(channel)-\(number)", channel, number, isMine))
      let push = TidingsV1.Push(
        sequenceNumber: number,
        previousSequenceNumber: number - 1,
        originTag: isMine ? 77 : 5,
        content: .notification(Self.notification(channel, number))
      )
      inFlight.append(([UInt8(channel)], push))
    }

    mutating func mark(_ id: String) {
      guard !marks.contains(id) else { return }
      marks.append(id)
      let push = TidingsV1.Push(
        sequenceNumber: UInt64(marks.count),
        previousSequenceNumber: UInt64(marks.count - 1),
        content: .readMarks(.init(notificationIDs: [id]))
      )
      inFlight.append((Self.controlTopic, push))
    }

    func register() -> TidingsV1.RegisterDeviceResponse {
      .init(
        controlTopic: Self.controlTopic,
        channels: heads.indices.map { channel in
          .init(
            position: .init(channelID: "\(channel)", sequenceNumber: heads[channel]),
            topic: [UInt8(channel)],
            subscriptionID: "s\(channel)",
            originTag: 77
          )
        },
        readMarkNumber: UInt64(marks.count)
      )
    }

    /// The token is an index in the log and one in the read marks.
    func page(_ token: [UInt8], limit: Int) -> TidingsV1.FetchNotificationChangesResponse {
      let limit = token.isEmpty ? 1 : limit
      let location = { (index: Int) in Int(token[index]) << 8 | Int(token[index + 1]) }
      let (start, marked) = token.isEmpty ? (0, marks.count) : (location(0), location(2))
      let end = min(log.count, start + limit)
      let markEnd = min(marks.count, marked + max(0, limit - (end - start)))
      let events = log[start..<end].filter { !$0.isMine && !marks.contains($0.id) }
      let read = marks[marked..<markEnd].map {
        TidingsV1.Notification(notificationID: $0, type: .readNotification)
      }
      return .init(
        notifications: events.map { Self.notification($0.channel, $0.number) } + read,
        changeToken: [end >> 8, end & 0xff, markEnd >> 8, markEnd & 0xff].map(UInt8.init),
        moreComing: end < log.count || markEnd < marks.count
      )
    }

    private static func notification(_ channel: Int, _ number: UInt64) -> TidingsV1.Notification {
      .init(
        notificationID: "\(channel)-\(number)",
        position: .init(channelID: "\(channel)", sequenceNumber: number)
      )
    }
  }

  private static let owner = InboxPosition.Owner(user: "ada", container: "default", environment: 1)

  /// A consumer: what it handed out, what is done for good, and the position that is kept with it.
  private struct Consumer {
    var state = InboxState(token: [])
    var kept: [UInt8] = []
    var done: [String] = []
    var uncommitted: [String] = []

    mutating func commit() {
      done += uncommitted
      uncommitted = []
      kept = InboxPosition(owner: owner, progress: state.progress).bytes
    }

    mutating func crash() throws {
      uncommitted = []
      state = InboxState(progress: try InboxPosition(bytes: kept).progress)
    }
  }

  @Test(
    "a consumer that keeps the position with its work gets each notification exactly once",
    arguments: 0..<30
  )
  func exactlyOnce(round: Int) throws {
    let seed = Seed.make("InboxProgress") &+ UInt64(round)
    var random = SplitMix64(seed: seed)
    var (server, consumer) = (Server(), Consumer())
    consumer.commit()
    var topics: Set<[UInt8]> = []
    /// Marks of the time before the first page of the consumer, which may starts again after a crash.
    var earlyMarks = 0

    func act() {
      guard random.oneIn(3) else { return }
      if random.oneIn(8), let event = server.log.randomElement(using: &random) {
        return server.mark(event.id)
      }
      server.save(random.below(Server.channelCount), isMine: random.oneIn(5))
    }
    func name(_ notification: TidingsV1.Notification) -> String {
      (notification.type == .readNotification ? "read " : "") + notification.notificationID
    }
    func crash() throws {
      try consumer.crash()
      topics = []
    }
    func settle(mayCrash: Bool) throws {
      while true {
        while let next = consumer.state.popReady() {
          consumer.uncommitted.append(name(next))
          if random.oneIn(3) { consumer.commit() }
          if mayCrash, random.oneIn(12) { return try crash() }
        }
        switch consumer.state.nextAction {
        case .register: consumer.state.registered(server.register())
        case .listen(let start, let stop):
          topics = topics.union(start).subtracting(stop)
          consumer.state.listened()
        case .fetch:
          if consumer.state.token.isEmpty { earlyMarks = server.marks.count }
          consumer.state.fetched(server.page(consumer.state.token, limit: 1 + random.below(6)))
        case .wait: return
        }
        if mayCrash { act() }
      }
    }

    for _ in 0..<1_500 {
      act()
      if random.oneIn(25) { consumer.state.reconnected() }
      if random.oneIn(25) { try crash() }
      try settle(mayCrash: true)
      guard !server.inFlight.isEmpty else { continue }
      let index = random.oneIn(4) ? random.below(server.inFlight.count) : 0
      let (topic, push) = server.inFlight[index]
      if !random.oneIn(10) { server.inFlight.remove(at: index) }
      if topics.contains(topic), !random.oneIn(6) { consumer.state.pushed(topic, push) }
    }
    consumer.state.reconnected()
    try settle(mayCrash: false)
    consumer.commit()

    let done = consumer.done
    #expect(Set(done).count == done.count, "seed \(seed)")
    let others = Set(server.log.filter { !$0.isMine }.map(\.id))
    let events = done.filter { !$0.hasPrefix("read ") }
    #expect(others.isSuperset(of: events), "seed \(seed)")
    // What was marked read before it was handed out is left out.
    #expect(others.subtracting(events).isSubset(of: server.marks), "seed \(seed)")
    // Marks of the time before the first page are not reported.
    let marks = server.marks.map { "read " + $0 }
    #expect(
      done.filter { $0.hasPrefix("read ") }.sorted()
        == marks.suffix(
          done.count - events.count
        ).sorted(),
      "seed \(seed)"
    )
    #expect(marks.count - (done.count - events.count) <= earlyMarks, "seed \(seed)")
    for channel in 0..<Server.channelCount {
      let numbers = events.filter { $0.hasPrefix("\(channel)-") }.compactMap {
        Int($0.dropFirst(2))
      }
      #expect(numbers == numbers.sorted(), "seed \(seed)")
    }
    // Once the log is read to its end, a position is a token and nothing else.
    #expect(consumer.state.progress.numbers.isEmpty, "seed \(seed)")
    #expect(consumer.state.progress.readMarks.isEmpty, "seed \(seed)")
  }

  @Test("pushes of many channels are made one token before the position grows too long")
  func bounded() {
    var state = InboxState(token: [])
    let count = InboxState.beyondMax + 1
    let topic = { (channel: Int) in [UInt8(channel >> 8), UInt8(channel & 0xff), 0] }
    state.registered(
      .init(
        controlTopic: [1],
        channels: (0..<count).map {
          .init(position: .init(channelID: "\($0)", sequenceNumber: 0), topic: topic($0))
        }
      )
    )
    state.listened()
    state.fetched(.init(changeToken: [1]))
    for channel in 0..<count {
      #expect(state.nextAction == .wait)
      let position = TidingsV1.SubscriptionPosition(
        channelID: "\(channel)",
        sequenceNumber: 1
      )
      state.pushed(
        topic(channel),
        .init(sequenceNumber: 1, content: .notification(.init(position: position)))
      )
      #expect(state.popReady() != nil)
    }
    #expect(state.progress.numbers.count == count)
    #expect(state.nextAction == .fetch)
    state.fetched(.init(changeToken: [2]))
    #expect(state.progress == InboxProgress(token: [2]))
  }

  @Test("a position comes back from its bytes; other bytes are refused, whatever they are")
  func bytes() throws {
    let seed = Seed.make("InboxPosition")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let progress = InboxProgress(
        token: random.bytes(random.below(300)),
        numbers: Dictionary(
          (0..<random.below(20)).map { _ in ("\(random.below(99))", random.next()) }
        ) { one, _ in one },
        readMarks: Set((0..<random.below(9)).map { _ in "\(random.below(99))-7" })
      )
      let position = InboxPosition(owner: Self.owner, progress: progress)
      let bytes = position.bytes
      #expect(try InboxPosition(bytes: bytes) == position, "seed \(seed)")
      var damaged = bytes
      damaged[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
      #expect(throws: InboxError.self, "seed \(seed)") { try InboxPosition(bytes: damaged) }
      #expect(throws: InboxError.self, "seed \(seed)") {
        try InboxPosition(bytes: Array(bytes.prefix(random.below(bytes.count))))
      }
    }
  }

  @Test("a file is one inbox's at a time, and holds the last position whole")
  func file() throws {
    let path = try TemporaryFolder().file("inbox")
    do {
      let file = try PositionFile(path: path)
      #expect(try file.read() == nil)
      #expect {
        try PositionFile(path: path)
      } throws: { error in
        if case InboxError.positionInUse = error { true } else { false }
      }
      for number in 1...3 {
        let progress = InboxProgress(token: [UInt8(number)])
        try file.write(InboxPosition(owner: Self.owner, progress: progress))
      }
    }
    #expect(try PositionFile(path: path).read()?.progress.token == [3])
    #expect {
      try PositionFile(path: "/nowhere/inbox")
    } throws: { error in
      if case InboxError.positionFileError = error { true } else { false }
    }
  }
}
