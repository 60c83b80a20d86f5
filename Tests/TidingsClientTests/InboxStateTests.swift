internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

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

    enum Entry: Hashable {
      case event(channel: Int, number: UInt64)
      case mark(id: String)
    }

    static let myTag: UInt64 = 77
    var channels: [Channel] = []
    var log: [(entry: Entry, isMine: Bool)] = []
    var inFlight: [(topic: [UInt8], push: TidingsV1.Push)] = []
    var controlTopic: [UInt8] = [0, 0]
    var marked: Set<String> = []
    private var topicCount = 0
    /// 0: pushes are not sealed.
    var secret: UInt8 = 1
    private let nonces = Nonces()

    /// A sequence is not copied; the server of a test is.
    private final class Nonces {
      private var sequence = NonceSequence()
      func next() -> NonceSequence.Nonce { sequence.next() }
    }

    private mutating func newTopic() -> [UInt8] {
      topicCount += 1
      return [UInt8(topicCount >> 8), UInt8(topicCount & 0xff)]
    }

    func key(of topic: [UInt8]) -> [UInt8] {
      guard secret != 0 else { return [] }
      return SealingKey(secret: .init(repeating: secret, count: 32), name: topic).bytes
    }

    private func seal(_ message: [UInt8], _ topic: [UInt8]) -> [UInt8] {
      var memory = [UInt8](repeating: 0, count: SealingKey.overheadBytes) + message
      memory.withUnsafeMutableBytes { SealingKey(key(of: topic))?.seal($0, nonces.next()) }
      return memory
    }

    mutating func subscribe() {
      channels.append(Channel(number: channels.count + 1, topic: newTopic()))
      inFlight.append((controlTopic, .init(content: .channelsChanged(true))))
    }

    mutating func unsubscribe(_ index: Int) {
      channels[index].isSubscribed = false
      inFlight.append((controlTopic, .init(content: .channelsChanged(true))))
    }

    mutating func rotate() {
      inFlight.append((controlTopic, .init(content: .channelsChanged(true))))
      controlTopic = newTopic()
      for index in channels.indices { channels[index].topic = newTopic() }
    }

    /// Stores events; several go out in one push without content.
    mutating func save(
      _ index: Int,
      isMine: Bool,
      count: Int = 1,
      change: (inout TidingsV1.Notification) -> Void = { _ in }
    ) {
      guard channels[index].isSubscribed else { return }
      let previous = channels[index].head
      channels[index].head += UInt64(count)
      let channel = channels[index]
      for number in (previous + 1)...channel.head {
        log.append((.event(channel: channel.number, number: number), isMine))
      }
      var push = TidingsV1.Push(
        sequenceNumber: channel.head,
        previousSequenceNumber: previous
      )
      if count == 1 {
        var notification = notification(channel.number, channel.head)
        change(&notification)
        push.originTag = isMine ? Self.myTag : 5
        push.content =
          secret == 0
          ? .notification(notification)
          : .sealedNotification(seal(notification.encoded(), channel.topic))
      }
      inFlight.append((channel.topic, push))
    }

    /// Marks the newest unread notifications.
    mutating func mark(isMine: Bool, count: Int = 1, tellsWhich: Bool = true) {
      let unread = log.compactMap { entry, _ -> String? in
        guard case .event(let channel, let number) = entry else { return nil }
        let id = "\(channel)-\(number)"
        return marked.contains(id) ? nil : id
      }
      let ids = Array(unread.suffix(count))
      guard !ids.isEmpty else { return }
      let previous = UInt64(marked.count)
      for id in ids { log.append((.mark(id: id), isMine)) }
      marked.formUnion(ids)
      let marks = TidingsV1.ReadMarks(notificationIDs: tellsWhich ? ids : [])
      inFlight.append(
        (
          controlTopic,
          .init(
            sequenceNumber: UInt64(marked.count),
            previousSequenceNumber: previous,
            originTag: isMine ? Self.myTag : 5,
            content: secret == 0
              ? .readMarks(marks) : .sealedReadMarks(seal(marks.encoded(), controlTopic))
          )
        )
      )
    }

    mutating func beacon(_ index: Int) {
      let head = channels[index].head
      if head > 0 {
        inFlight.append(
          (
            channels[index].topic,
            .init(sequenceNumber: head, previousSequenceNumber: head - 1)
          )
        )
      }
      let last = UInt64(marked.count)
      guard last > 0 else { return }
      inFlight.append(
        (controlTopic, .init(sequenceNumber: last, previousSequenceNumber: last - 1))
      )
    }

    func register() -> TidingsV1.RegisterDeviceResponse {
      .init(
        controlTopic: controlTopic,
        channels: channels.filter(\.isSubscribed).map { channel in
          .init(
            position: .init(channelID: "\(channel.number)", sequenceNumber: channel.head),
            topic: channel.topic,
            key: key(of: channel.topic),
            subscriptionID: "s\(channel.number)",
            originTag: Self.myTag
          )
        },
        controlKey: key(of: controlTopic),
        readMarkNumber: UInt64(marked.count),
        controlOriginTag: Self.myTag
      )
    }

    /// The token is an index in the log.
    func page(_ token: [UInt8], limit: Int) -> TidingsV1.FetchNotificationChangesResponse {
      let start = token.reduce(0) { $0 << 8 | Int($1) }
      let end = min(log.count, start + limit)
      return .init(
        notifications: log[start..<end].filter { !$0.isMine }.map { entry, _ in
          switch entry {
          case .event(let channel, let number): notification(channel, number)
          case .mark(let id): .init(notificationID: id, type: .readNotification)
          }
        },
        changeToken: [UInt8(end >> 8), UInt8(end & 0xff)],
        moreComing: end < log.count
      )
    }

    private func notification(_ channel: Int, _ number: UInt64) -> TidingsV1.Notification {
      .init(type: .query, position: .init(channelID: "\(channel)", sequenceNumber: number))
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
        if next.type == .readNotification {
          yielded.append(Event(channel: "read \(next.notificationID)", number: 0))
          continue
        }
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
      switch random.below(24) {
      case 0: server.unsubscribe(index)
      case 1, 2: server.beacon(index)
      case 3: server.save(index, isMine: false, count: 2 + random.below(5))
      case 4: server.save(index, isMine: false) { $0.isPruned = true }
      case 5, 6, 7:
        server.mark(
          isMine: random.oneIn(4),
          count: 1 + random.below(3),
          tellsWhich: !random.oneIn(6)
        )
      case 8 where random.oneIn(3): server.rotate()
      case 9 where random.oneIn(3): server.secret = UInt8(random.below(4))
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

    let expected = server.log.filter { !$0.isMine }.map { entry, _ in
      switch entry {
      case .event(let channel, let number): Event(channel: "\(channel)", number: number)
      case .mark(let id): Event(channel: "read \(id)", number: 0)
      }
    }
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

  @Test("the device's own change is skipped, and the next push follows on it")
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

  /// A stream that has one channel, and has read the log.
  private func settled(_ server: inout Server) -> InboxState {
    var state = InboxState(token: [], container: .init(container: "c"))
    server.subscribe()
    register(&state, server)
    server.inFlight = []
    return state
  }

  private func register(_ state: inout InboxState, _ server: Server) {
    state.registered(server.register())
    state.listened()
    state.fetched(server.page(state.token, limit: 99))
  }

  private func deliver(_ server: inout Server, to state: inout InboxState) {
    for (topic, push) in server.inFlight { state.pushed(topic, push) }
    server.inFlight = []
  }

  @Test("what cannot be opened leads to the log and to one registration, not to one for each push")
  func unreadable() {
    var server = Server()
    var state = settled(&server)
    server.secret = 2
    server.save(0, isMine: false)
    deliver(&server, to: &state)
    #expect(state.nextAction == .register && state.popReady() == nil)
    // The server shows the same keys as before: it is not asked again.
    let reported = server.secret
    server.secret = 1
    state.registered(server.register())
    state.listened()
    server.secret = reported
    for _ in 0..<10 {
      #expect(state.nextAction == .fetch)
      state.fetched(server.page(state.token, limit: 99))
      #expect(state.popReady() != nil && state.nextAction == .wait)
      server.save(0, isMine: false)
      deliver(&server, to: &state)
    }
    // Later it may know better.
    state.reconnected()
    register(&state, server)
    while state.popReady() != nil {}
    server.save(0, isMine: false)
    deliver(&server, to: &state)
    #expect(state.popReady() != nil && state.nextAction == .wait)
  }

  @Test(
    "a key is there to be used: what is not sealed, or reports something else, is not used"
  )
  func checksContent() {
    for change in 0..<4 {
      var server = Server()
      var state = settled(&server)
      server.save(0, isMine: false) { notification in
        if change == 1 { notification.position?.sequenceNumber = 7 }
        if change == 2 { notification.position?.channelID = "2" }
        if change == 3 { notification.position = nil }
      }
      if change == 0, case .sealedNotification? = server.inFlight[0].push.content {
        server.inFlight[0].push.content = .notification(
          .init(type: .query, position: .init(channelID: "1", sequenceNumber: 1))
        )
      }
      deliver(&server, to: &state)
      #expect(state.popReady() == nil && state.nextAction == .register)
    }
  }

  @Test("a pruned push is a hint: the log has the whole")
  func pruned() {
    var server = Server()
    var state = settled(&server)
    server.save(0, isMine: false) { $0.isPruned = true }
    deliver(&server, to: &state)
    #expect(state.popReady() == nil && state.nextAction == .fetch)
  }

  @Test("read marks that follow are handed out without a look at the log, and once")
  func readMarks() {
    var server = Server()
    var state = settled(&server)
    for _ in 0..<4 { server.save(0, isMine: false) }
    server.mark(isMine: false, count: 2)
    server.mark(isMine: true)
    server.mark(isMine: false)
    deliver(&server, to: &state)
    var ids: [String] = []
    while let next = state.popReady() {
      guard next.type == .readNotification else { continue }
      #expect(next.databaseID?.container == "c")
      ids.append(next.notificationID)
    }
    #expect(ids == ["1-3", "1-4", "1-1"] && state.nextAction == .wait)
    state.mayHaveMissed()
    state.fetched(server.page(state.token, limit: 99))
    #expect(state.popReady() == nil)
    server.save(0, isMine: false)
    server.mark(isMine: false, tellsWhich: false)
    deliver(&server, to: &state)
    #expect(state.popReady()?.notificationID == "1-5" && state.nextAction == .fetch)
    state.fetched(server.page(state.token, limit: 99))
    #expect(state.popReady()?.type == .readNotification)
  }
}
