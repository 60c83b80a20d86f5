internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf

/// Subscribers that take nothing of what is pushed to them.
@Suite(.endsServers) struct SilentSubscriberTests {
  private static let channelCount = 20
  private static let batch = 25
  private static let text = String(repeating: "long ", count: 640)

  /// Saves a batch of records, each of which is pushed in all channels, and receives the pushes.
  private func saveAndReceive(_ number: Int, _ device: Client, _ socket: RawSocket) async throws {
    let records = (0..<Self.batch).map { index in
      TidingsV1.Record(
        "Houses",
        "r\(number)-\(index)",
        ["n": 1, "text": .init(.stringValue(Self.text))]
      )
    }
    let results = try await device.modify(records)
    #expect(results.allSatisfy { $0.record != nil })
    var received = 0
    try await waitUntil("all pushes of batch \(number)", pausing: .zero) {
      guard let notification = try await Self.notification(socket),
        notification.recordID?.recordName.hasPrefix("r\(number)-") == true
      else { return false }
      #expect(notification.recordFields["text"] == .init(.stringValue(Self.text)))
      received += 1
      return received >= Self.batch * Self.channelCount
    }
  }

  /// Lets peers say something: the heartbeat would end connections of which nothing comes.
  private func stay(_ peers: [ZMTPPeer]) async {
    for peer in peers { try? await peer.subscribe([9]) }
  }

  /// The next push; `nil`: it is none of an event.
  private static func notification(_ socket: RawSocket) async throws -> TidingsV1.Notification? {
    let frames = try await socket.receive()
    guard frames.count == 2 else { return nil }
    let push = try TidingsV1.Push(decoding: frames[1])
    guard case .notification(let notification)? = push.content else { return nil }
    return notification
  }

  @Test("who does not read their pushes costs a bounded amount of memory, and others get theirs")
  func bound() async throws {
    let server = try await TestServer.start(
      arguments: MemoryBound.arguments + [
        "--unsealed-pushes", "--limit", "pushes-per-second-max=1000000",
      ]
    )
    let ada = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    for index in 0..<Self.channelCount {
      try await ada.subscribe(
        .init("s\(index)", "Houses", where: "n != \(1_000 + index)", keys: ["text"])
      )
    }
    var silent: [ZMTPPeer] = []
    for _ in 0..<4 {
      let peer = try await ZMTPPeer.connect(
        server.pushEndpoint,
        .subscriber,
        receiveBufferBytes: 4096
      )
      try await peer.subscribe([])
      silent.append(peer)
    }
    let socket = try RawSocket(.subscriber, connectedTo: server.pushEndpoint)
    // A subscription takes a while to reach the server, and what is saved as it was fires nothing.
    let saver = Task {
      var number = 0
      while !Task.isCancelled {
        try await device.save(.init("Houses", "first-\(number)", ["n": 1]))
        number += 1
        // Between two saves others have the processor.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    try await waitUntil("the first push of an event", pausing: .zero) {
      try await Self.notification(socket) != nil
    }
    saver.cancel()
    _ = try? await saver.value

    // By then a queue of 4,000 is full, and what the system keeps for a connection, too.
    for number in 0..<12 {
      try await saveAndReceive(number, device, socket)
      await stay(silent)
    }
    let full = try server.process.memoryPeakBytes()
    // These have more than 40 MB: who kept them for anybody would have that more.
    for number in 12..<38 {
      try await saveAndReceive(number, device, socket)
      await stay(silent)
    }
    let growth = try server.process.memoryPeakBytes() - full
    print("silent subscribers: \(full >> 20) MiB with full queues, \(growth >> 20) MiB more later")
    #expect(growth < 24 << 20, "\(growth >> 20) MiB more")
    try MemoryBound.expectKept(by: server)
    // They were subscribed: there is something for each.
    for peer in silent { #expect(try await peer.receive().count == 2) }
  }
}
