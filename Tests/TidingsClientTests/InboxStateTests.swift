internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsProto

@testable internal import TidingsClient

/// The stream's state machine against a server whose pushes are lost, doubled and reordered.
@Suite struct InboxStateTests {
  /// A server as a stream sees it: channels that come and go, a log, and unreliable pushes.
  private struct Server {
    struct Channel {
      var number: Int
      var topic: [UInt8]
      var isSubscribed = true
      var head: UInt64 = 0
    }

    static let controlTopic: [UInt8] = [0xff]
    static let myTag: UInt64 = 77
    var channels: [Channel] = []
    var log: [(channel: Int, number: UInt64, isMine: Bool)] = []
    var inFlight: [(topic: [UInt8], push: TidingsV1.Push)] = []

    mutating func subscribe() {
      let number = channels.count + 1
      channels.append(Channel(number: number, topic: [UInt8(number)]))
      inFlight.append((Self.controlTopic, .init(content: .channelsChanged(true))))
    }

    mutating func unsubscribe(_ index: Int) {
      channels[index].isSubscribed = false
      inFlight.append((Self.controlTopic, .init(content: .channelsChanged(true))))
    }

    mutating func save(_ index: Int, isMine: Bool) {
      guard channels[index].isSubscribed else { return }
      channels[index].head += 1
      let (channel, number) = (channels[index].number, channels[index].head)
      log.append((channel, number, isMine))
      inFlight.append(
        (
          channels[index].topic,
          .init(
            sequenceNumber: number,
            previousSequenceNumber: number - 1,
            originTag: isMine ? Self.myTag : 5,
            content: .notification(notification(channel, number))
          )
        )
      )
    }

    mutating func beacon(_ index: Int) {
      let head = channels[index].head
      guard head > 0 else { return }
      inFlight.append(
        (
          channels[index].topic,
          .init(sequenceNumber: head, previousSequenceNumber: head - 1)
        )
      )
    }

    func register() -> TidingsV1.RegisterDeviceResponse {
      .init(
        controlTopic: Self.controlTopic,
        channels: channels.filter(\.isSubscribed).map { channel in
          .init(
            position: .init(channelID: "\(channel.number)", sequenceNumber: channel.head),
            topic: channel.topic,
            subscriptionID: "s\(channel.number)",
            originTag: Self.myTag
          )
        }
      )
    }

    /// The token is a place in the log.
    func page(_ token: [UInt8], limit: Int) -> TidingsV1.FetchNotificationChangesResponse {
      let start = token.reduce(0) { $0 << 8 | Int($1) }
      let end = min(log.count, start + limit)
      return .init(
        notifications: log[start..<end].filter { !$0.isMine }.map { notification($0.0, $0.1) },
        changeToken: [UInt8(end >> 8), UInt8(end & 0xff)],
        moreComing: end < log.count
      )
    }

    private func notification(_ channel: Int, _ number: UInt64) -> TidingsV1.Notification {
      .init(position: .init(channelID: "\(channel)", sequenceNumber: number))
    }
  }

  private struct Event: Hashable {
    var channel: String
    var number: UInt64
  }

  @Test(
    "whatever is lost, doubled or late: each notification once, in its channel's order",
    arguments: 0..<20
  )
  func unreliablePushes(round: Int) {
    let seed = Seed.make("InboxState") &+ UInt64(round)
    var random = SplitMix64(seed: seed)
    var (server, state) = (Server(), InboxState(token: []))
    var topics: Set<[UInt8]> = []
    var yielded: [Event] = []

    func take() {
      while let next = state.popReady() {
        let position = next.position ?? .init()
        yielded.append(Event(channel: position.channelID, number: position.sequenceNumber))
      }
    }
    /// Does what the state asks for, as the stream does; something may happen in between.
    func settle(_ interrupt: (inout SplitMix64, inout Server) -> Void) {
      while true {
        take()
        switch state.nextAction {
        case .register: state.registered(server.register())
        case .listen(let start, let stop):
          topics = topics.union(start).subtracting(stop)
          state.listened()
        case .fetch: state.fetched(server.page(state.token, limit: 1 + random.below(5)))
        case .wait: return
        }
        interrupt(&random, &server)
      }
    }
    func act(_ random: inout SplitMix64, _ server: inout Server) {
      guard random.oneIn(3) else { return }
      if server.channels.isEmpty || random.oneIn(25), server.channels.count < 8 {
        return server.subscribe()
      }
      let index = random.below(server.channels.count)
      switch random.below(12) {
      case 0: server.unsubscribe(index)
      case 1: server.beacon(index)
      default: server.save(index, isMine: random.oneIn(4))
      }
    }

    for _ in 0..<1500 {
      act(&random, &server)
      switch random.below(20) {
      case 0:
        // The connection is lost with all that was on its way, and made again.
        server.inFlight = []
        state.reconnected()
      case 1: state.mayHaveMissed()
      case 2:
        topics = []
        state.connectionReplaced()
      default: break
      }
      settle(act)
      guard !server.inFlight.isEmpty else { continue }
      let index = random.oneIn(4) ? random.below(server.inFlight.count) : 0
      let (topic, push) = server.inFlight[index]
      if !random.oneIn(10) { server.inFlight.remove(at: index) }
      if topics.contains(topic), !random.oneIn(6) { state.pushed(topic, push) }
    }
    // The regular look at the log finds what is missing.
    state.reconnected()
    settle { _, _ in }

    let expected = server.log.filter { !$0.isMine }
      .map { Event(channel: "\($0.channel)", number: $0.number) }
    #expect(Set(yielded) == Set(expected), "seed \(seed)")
    #expect(yielded.count == expected.count, "seed \(seed)")
    for channel in Set(yielded.map(\.channel)) {
      let numbers = yielded.filter { $0.channel == channel }.map(\.number)
      #expect(numbers == numbers.sorted(), "seed \(seed)")
    }
  }

  @Test("a push that follows is handed out without a look at the log, with its names")
  func directPush() {
    var (server, state) = (Server(), InboxState(token: []))
    server.subscribe()
    state.registered(server.register())
    state.listened()
    state.fetched(server.page(state.token, limit: 9))
    #expect(state.nextAction == .wait)
    server.save(0, isMine: false)
    let (topic, push) = server.inFlight[server.inFlight.count - 1]
    state.pushed(topic, push)
    #expect(state.nextAction == .wait)
    let notification = state.popReady()
    #expect(notification?.notificationID == "1-1")
    #expect(notification?.subscriptionID == "s1")
    state.pushed(topic, push)
    #expect(state.popReady() == nil && state.nextAction == .wait)
  }

  @Test("the device's own change is passed over, and the next push follows on it")
  func ownChange() {
    var (server, state) = (Server(), InboxState(token: []))
    server.subscribe()
    state.registered(server.register())
    state.listened()
    state.fetched(server.page(state.token, limit: 9))
    server.inFlight = []
    server.save(0, isMine: true)
    server.save(0, isMine: false)
    for (topic, push) in server.inFlight { state.pushed(topic, push) }
    #expect(state.popReady()?.position?.sequenceNumber == 2)
    #expect(state.nextAction == .wait)
  }

  @Test("a gap, a beacon of something unheard and an unreadable push lead to the log")
  func hints() {
    var (server, state) = (Server(), InboxState(token: []))
    server.subscribe()
    state.registered(server.register())
    state.listened()
    state.fetched(server.page(state.token, limit: 9))
    server.inFlight = []
    server.save(0, isMine: false)
    server.save(0, isMine: false)
    state.pushed(server.inFlight[1].topic, server.inFlight[1].push)
    #expect(state.nextAction == .fetch && state.popReady() == nil)
    state.fetched(server.page(state.token, limit: 9))
    #expect(state.popReady()?.position?.sequenceNumber == 1)
    #expect(state.popReady()?.position?.sequenceNumber == 2)
    server.beacon(0)
    state.pushed(server.inFlight[2].topic, server.inFlight[2].push)
    #expect(state.nextAction == .wait)
    server.save(0, isMine: false)
    server.beacon(0)
    state.pushed(server.inFlight[4].topic, server.inFlight[4].push)
    #expect(state.nextAction == .fetch)
  }

  @Test("another stream may begin where this one has not handed out yet, and misses nothing")
  func resumeToken() {
    var (server, state) = (Server(), InboxState(token: []))
    server.subscribe()
    for _ in 0..<3 { server.save(0, isMine: false) }
    state.registered(server.register())
    state.listened()
    let start = state.resumeToken
    state.fetched(server.page(state.token, limit: 9))
    #expect(state.resumeToken == start && state.token != start)
    _ = state.popReady()
    #expect(state.resumeToken == start)
    _ = state.popReady()
    _ = state.popReady()
    #expect(state.resumeToken == state.token && state.token != start)
  }
}
