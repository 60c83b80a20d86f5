internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

/// What is on the wire, received by somebody who is nobody's subscriber, and what streams make of it.
@Suite(.endsServers) struct PushTests {
  /// Receives all pushes of a server.
  private struct Listener {
    let socket: RawSocket

    init(_ server: TestServer) throws {
      socket = try RawSocket(.subscriber, connectedTo: server.pushEndpoint)
    }

    /// The next message on one of these topics that has content.
    func next(on topics: Set<[UInt8]>) async throws -> (push: TidingsV1.Push, bytes: [UInt8]) {
      var (push, bytes) = (TidingsV1.Push(), [] as [UInt8])
      try await waitUntil("a push with content on one of \(topics.count) topics", pausing: .zero) {
        let frames = try await socket.receive()
        guard frames.count == 2, topics.contains(frames[0]) else { return false }
        (push, bytes) = (try TidingsV1.Push(decoding: frames[1]), frames[1])
        return push.content != nil
      }
      return (push, bytes)
    }
  }

  /// Saves until the listener receives it, each time something else: a subscription takes a while to
  /// reach the server.
  private func listen(
    to server: TestServer,
    topics: Set<[UInt8]>,
    saving: @escaping @Sendable (_ number: Int) async throws -> Void
  ) async throws -> Listener {
    let listener = try Listener(server)
    let saver = Task {
      var number = 0
      while !Task.isCancelled {
        try await saving(number)
        number += 1
        // Between two saves others have the processor.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    _ = try await listener.next(on: topics)
    saver.cancel()
    _ = try? await saver.value
    return listener
  }

  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: text) }
  }

  @Test("no topic begins with 0 or 1, with which subscribers of libzmq cannot end a subscription")
  func topics() async throws {
    let server = try await TestServer.start()
    // One in 128 random ones begins so: among 1,500 some would.
    for number in 0..<1_500 {
      let user = try await server.client(as: "user-\(number)")
      let topic = try await user.notifications.registerDevice(.init()).controlTopic
      try #require(topic.count == 16 && topic[0] > 1, "user-\(number): \(topic)")
    }
    let ada = try await server.client(as: "ada")
    for number in 0..<200 {
      try await ada.subscribe(.init("s\(number)", "Houses", keys: ["k\(number)"]))
    }
    var topics: Set<[UInt8]> = []
    for _ in 0..<8 {
      let device = try await ada.notifications.registerDevice(.init())
      topics.formUnion(device.channels.map(\.topic))
      _ = try await ada.notifications.rotateChannels(.init())
    }
    #expect(topics.count > 1_000)
    #expect(topics.allSatisfy { $0.count == 16 && $0[0] > 1 })
  }

  @Test("what is on the wire reports nothing of a record; who has the channel's key can open it")
  func sealed() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await ada.subscribe(.init("all", "Houses", keys: ["street"]))
    let registration = try await ada.notifications.registerDevice(.init())
    let channel = try #require(registration.channels.first)
    #expect(channel.key.count == 32 && registration.controlKey.count == 32)
    #expect(channel.key != registration.controlKey)
    let listener = try await listen(to: server, topics: [channel.topic]) {
      try await device.save(.init("Houses", "first-\($0)"))
    }
    try await device.save(.init("Houses", "secret-name", ["street": "secret street"]))
    var (push, bytes) = try await listener.next(on: [channel.topic])
    let key = try #require(SealingKey(channel.key))
    while true {
      #expect(!contains(bytes, "secret") && !contains(bytes, "Houses"))
      guard case .sealedNotification(let sealed)? = push.content else {
        Issue.record("not sealed: \(push)")
        return
      }
      let notification = try TidingsV1.Notification(decoding: #require(key.open(sealed)))
      #expect(notification.position?.sequenceNumber == push.sequenceNumber)
      #expect(notification.subscriptionID.isEmpty && notification.notificationID.isEmpty)
      if notification.recordID?.recordName == "secret-name" {
        #expect(notification.recordFields["street"] == "secret street")
        break
      }
      (push, bytes) = try await listener.next(on: [channel.topic])
    }
  }

  @Test("a server that does not seal gives no keys, says so, and its streams work")
  func unsealed() async throws {
    let server = try await TestServer.start(arguments: ["--unsealed-pushes"])
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await ada.subscribe(.init("all", "Houses", keys: ["street"]))
    let registration = try await ada.notifications.registerDevice(.init())
    let channel = try #require(registration.channels.first)
    #expect(channel.key.isEmpty && registration.controlKey.isEmpty)
    let listener = try await listen(to: server, topics: [channel.topic]) {
      try await device.save(.init("Houses", "r-\($0)", ["street": "open street"]))
    }
    try await device.save(.init("Houses", "r", ["street": "open street"]))
    let (push, _) = try await listener.next(on: [channel.topic])
    guard case .notification(let notification)? = push.content else {
      Issue.record("no notification: \(push)")
      return
    }
    #expect(notification.recordFields["street"] == "open street")
    let stream = Collector(ada)
    try await device.save(.init("Houses", "last"))
    _ = try await stream.seen.wait("the last") { $0.last?.recordID == .init("last") }
    #expect(server.process.seen.value.errors.contains("pushes are not sealed"))
  }

  @Test("a large notification is pruned on the wire and whole in the stream")
  func pruned() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "push-bytes-max=256"])
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await ada.subscribe(.init("all", "Houses", keys: ["text"]))
    let channel = try #require(try await ada.notifications.registerDevice(.init()).channels.first)
    let key = try #require(SealingKey(channel.key))
    let text = String(repeating: "long ", count: 60)
    let listener = try await listen(to: server, topics: [channel.topic]) {
      try await device.save(.init("Houses", "r-\($0)", ["text": .init(.stringValue(text))]))
    }
    let stream = Collector(ada)
    try await device.save(.init("Houses", "last", ["text": .init(.stringValue(text))]))
    let seen = try await stream.seen.wait("the last") { $0.last?.recordID == .init("last") }
    for notification in seen {
      #expect(notification.recordFields["text"] == .init(.stringValue(text)))
      #expect(!notification.isPruned)
    }
    let (push, bytes) = try await listener.next(on: [channel.topic])
    #expect(bytes.count <= 256 + SealingKey.overheadBytes)
    guard case .sealedNotification(let sealed)? = push.content else {
      Issue.record("not sealed: \(push)")
      return
    }
    let notification = try TidingsV1.Notification(decoding: #require(key.open(sealed)))
    #expect(notification.isPruned && notification.recordFields.isEmpty)
    let info = try await ada.server.fetchServerInfo(.init())
    #expect(info.counters?.pushesPruned ?? 0 > 0)
  }

  @Test("all events of a call that has more than a turn publishes are pushed, without another call")
  func pushedInTurns() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "pushes-per-second-max=1000000"])
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    for index in 0..<20 {
      try await ada.subscribe(.init("s\(index)", "Houses", where: "n != \(1_000 + index)"))
    }
    let topics = Set(try await ada.notifications.registerDevice(.init()).channels.map(\.topic))
    #expect(topics.count == 20)
    let listener = try await listen(to: server, topics: topics) {
      try await device.save(.init("Houses", "first-\($0)", ["n": 1]))
    }
    let published = try #require(try await ada.server.fetchServerInfo(.init()).counters).events
    _ = try await device.modify((0..<60).map { .init("Houses", "r\($0)", ["n": 1]) })
    let last = Int64(published) / 20 + 60
    var unfinished = topics
    try await waitUntil("the last event on each of 20 topics", pausing: .zero) {
      let frames = try await listener.socket.receive()
      guard frames.count == 2, topics.contains(frames[0]) else { return false }
      // What is repeated later has a number, and no content.
      let push = try TidingsV1.Push(decoding: frames[1])
      if push.content != nil, push.sequenceNumber == last { unfinished.remove(frames[0]) }
      return unfinished.isEmpty
    }
  }

  @Test("events of a busy channel go out together, and the stream gets each, in order")
  func coalesced() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "pushes-per-second-max=20"])
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await ada.subscribe(.init("all", "Houses"))
    let stream = Collector(ada)
    try await device.save(.init("Houses", "r0"))
    try await stream.wait(for: 1)
    for call in 0..<5 {
      _ = try await device.modify((1...200).map { .init("Houses", "r\(call * 200 + $0)") })
    }
    let seen = try await stream.wait(for: 1001)
    #expect(seen.map { $0.recordID?.recordName } == (0...1000).map { "r\($0)" })
    let info = try await ada.server.fetchServerInfo(.init())
    let counters = try #require(info.counters)
    #expect(counters.events == 1001)
    // Those that wait for their turn are not counted yet.
    #expect(counters.pushesCoalesced > 0 && counters.pushes < 1001)
  }

  @Test("what one device marks read reaches the others by push, not itself, and not a stranger")
  func readMarks() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let phone = try await server.client(as: "ada", device: "phone")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    let registration = try await laptop.notifications.registerDevice(.init())
    #expect(registration.readMarkNumber == 0)
    let (first, second) = (Collector(laptop), Collector(phone))
    for number in 0..<3 { try await device.save(.init("Houses", "r\(number)")) }
    let ids = try await first.wait(for: 3).map(\.notificationID)
    try await second.wait(for: 3)
    let listener = try await listen(to: server, topics: [registration.controlTopic]) {
      try await device.save(.init("Houses", "more-\($0)"))
      let newest = try await device.notifications.registerDevice(.init()).channels[0].position
      // The server's own are not its notifications: another device marks them.
      _ = try await phone.notifications.markNotificationsRead(
        .init(
          notificationIDs: ["\(newest?.channelID ?? "")-\(newest?.sequenceNumber ?? 0)"]
        )
      )
    }
    _ = try await phone.notifications.markNotificationsRead(.init(notificationIDs: ids))
    let key = try #require(SealingKey(registration.controlKey))
    while true {
      let (push, bytes) = try await listener.next(on: [registration.controlTopic])
      #expect(ids.allSatisfy { !contains(bytes, $0) })
      guard case .sealedReadMarks(let sealed)? = push.content else { continue }
      let marks = try TidingsV1.ReadMarks(decoding: #require(key.open(sealed)))
      if marks.notificationIDs == ids { break }
    }
    let seen = try await first.seen.wait("the marks") { seen in
      Set(ids).isSubset(of: seen.lazy.filter { $0.type == .readNotification }.map(\.notificationID))
    }
    let marks = seen.filter { $0.type == .readNotification }.map(\.notificationID)
    #expect(Set(marks).count == marks.count)
    // The phone is notified of something that comes after: of its own marks it received nothing.
    try await device.save(.init("Houses", "end"))
    let own = try await second.seen.wait("the end") { $0.last?.recordID == .init("end") }
    #expect(own.allSatisfy { $0.type != .readNotification })
    let after = try await laptop.notifications.registerDevice(.init())
    #expect(after.readMarkNumber >= 3)
  }

  @Test("after a rotation streams go on without loss or repetition, and the old topics are silent")
  func rotation() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let phone = try await server.client(as: "ada", device: "phone")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    _ = try await laptop.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(scope: .public),
        subscriptionsToSave: [.init("public", "Houses")]
      )
    )
    let before = try await laptop.notifications.registerDevice(.init())
    let channel = try #require(before.channels.first { $0.subscriptionID == "all" })
    let streams = [Collector(laptop), Collector(phone)]
    let listener = try await listen(to: server, topics: [channel.topic]) {
      try await device.save(.init("Houses", "first-\($0)"))
    }
    for round in 0..<3 {
      for number in 0..<5 { try await device.save(.init("Houses", "r\(round)-\(number)")) }
      let rotated = try await device.notifications.rotateChannels(.init())
      #expect(rotated.channelCount == 1)
      for number in 5..<8 { try await device.save(.init("Houses", "r\(round)-\(number)")) }
    }
    let after = try await laptop.notifications.registerDevice(.init())
    #expect(after.controlTopic != before.controlTopic && after.controlKey != before.controlKey)
    let newChannel = try #require(after.channels.first { $0.subscriptionID == "all" })
    #expect(newChannel.topic != channel.topic && newChannel.key != channel.key)
    #expect(newChannel.position?.channelID == channel.position?.channelID)
    #expect(after.channels.first { $0.subscriptionID == "public" } != nil)
    #expect(
      after.channels.first { $0.subscriptionID == "public" }?.topic
        == before.channels.first { $0.subscriptionID == "public" }?.topic
    )
    let names = (0..<3).flatMap { round in (0..<8).map { "r\(round)-\($0)" } }
    for stream in streams {
      let seen = try await stream.seen.wait("all") { $0.last?.recordID == .init("r2-7") }
      #expect(
        seen.compactMap(\.recordID?.recordName).filter { !$0.hasPrefix("first") } == names
      )
    }
    // Up to the newest topic's push, the old one had the events before the first rotation.
    try await device.save(.init("Houses", "end"))
    var old: [UInt64] = []
    try await waitUntil("the last notification on the new topic", pausing: .zero) {
      let frames = try await listener.socket.receive()
      let push = try TidingsV1.Push(decoding: frames[1])
      if frames[0] == channel.topic { old.append(push.sequenceNumber) }
      guard frames[0] == newChannel.topic, let key = SealingKey(newChannel.key),
        case .sealedNotification(let box)? = push.content, let opened = key.open(box)
      else { return false }
      return try TidingsV1.Notification(decoding: opened).recordID == .init("end")
    }
    let head = try #require(newChannel.position?.sequenceNumber)
    #expect(old.allSatisfy { $0 <= head - 24 + 5 })
  }

  @Test("a user with as many subscriptions as allowed gets all topics in one answer")
  func manyChannels() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    // As long as names may be.
    let name = String(repeating: "n", count: 251)
    let response = try await ada.subscriptions.modifySubscriptions(
      .init(
        subscriptionsToSave: (0..<400).map {
          .init("\(name)-\($0 + 100)", "Houses", where: "n = \($0)")
        }
      )
    )
    #expect(response.results.allSatisfy { $0.error == nil })
    let registration = try await ada.notifications.registerDevice(.init())
    #expect(registration.channels.count == 400)
    #expect(Set(registration.channels.map(\.key)).count == 400)
    let info = try await ada.server.fetchServerInfo(.init())
    let limits = try #require(info.limits)
    let channelBytes = UInt64(registration.encoded().count / 400) + 16
    #expect(channelBytes * UInt64(limits.subscriptionsPerUserMax) < limits.frameBytesMax)
  }
}
