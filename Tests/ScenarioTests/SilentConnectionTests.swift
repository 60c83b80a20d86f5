internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC
internal import TidingsZeroMQ

/// Connections that stay open while what they carry vanishes, and connections for pushes that end amid a frame.
///
/// A client asks a server that is silent after 10 s, and gives its connection up 10 s later.
@Suite(.endsServers) struct SilentConnectionTests {
  /// A server whose pushes pass through a proxy on their way.
  private struct PushedServer {
    let server: TestServer
    let pushes: CallProxy

    init(cutWithin bytesMax: Int? = nil, seed: UInt64 = 0) async throws {
      let port = ReservedPort()
      pushes =
        if let bytesMax {
          try CallProxy(to: port.endpoint, cutWithin: bytesMax, seed: seed)
        } else {
          try CallProxy(to: port.endpoint)
        }
      server = try await TestServer.start(
        push: port.endpoint,
        keeping: [port],
        arguments: ["--advertise-push", pushes.endpoint]
      )
    }
  }

  /// An inbox, and the records that it names, in its order.
  private struct Reader {
    let names = Observed<[String]>([])
    private let inbox: NotificationInbox
    private let task: Task<Void, any Error>

    init(_ client: Client) throws {
      let inbox = try client.notificationInbox(from: nil)
      self.inbox = inbox
      task = Task { [names] in
        for try await item in inbox {
          let name = item.notification.recordID?.recordName ?? ""
          names.update { $0.append(name) }
        }
      }
    }

    func wait(for count: Int) async throws {
      try await names.wait("\(count) notifications") { $0.count >= count }
    }

    func close() async throws {
      await inbox.close()
      try await task.value
    }
  }

  private func save(_ numbers: Range<Int>, with client: Client) async throws {
    for number in numbers { try await client.save(.init("Houses", "r\(number)")) }
  }

  /// Waits until somebody has made one more connection.
  private func waitForConnection(beyond count: Int, _ proxy: CallProxy) async throws {
    try await waitUntil("somebody to notice that a connection is silent") {
      proxy.connectionCount > count
    }
  }

  @Test(
    "a client notices that nothing comes any more, and what it calls then reaches the server",
    arguments: [CallProxy.Directions.toClients, .both]
  )
  func calls(directions: CallProxy.Directions) async throws {
    let server = try await TestServer.start()
    let proxy = try CallProxy(to: server.rpcEndpoint)
    var configuration = ClientConfiguration(endpoint: proxy.endpoint)
    configuration.user = "ada"
    // No call ends because it takes long.
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(600)
    let client = try await Client(configuration)
    try await client.save(.init("Houses", "before", ["n": 1]))
    let count = proxy.connectionCount
    proxy.swallow(directions)
    async let lookup = client.fetch([.init("before")]).first?.record?.fields["n"]
    let refused = Task {
      await TestSupport.failure { _ = try await client.save(.init("Houses", "amid", ["n": 1])) }
    }
    try await waitForConnection(beyond: count, proxy)
    proxy.swallow([])
    // The lookup is made again; whether the save took effect is for its caller to find out.
    let found = try await lookup
    let refusal = await refused.value
    #expect(found == 1)
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    #expect(refusal?.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")) == true)
    #expect(proxy.swallowedBytes > 0)
    let wasSaved = try await client.fetch([.init("amid")]).first?.record != nil
    #expect(wasSaved == !directions.contains(.toServer))
    try await client.save(.init("Houses", "after"))
    #expect(try await client.fetch([.init("after")]).first?.record != nil)
  }

  @Test("an inbox whose connection for pushes is silent connects again, and misses nothing")
  func pushes() async throws {
    let world = try await PushedServer()
    // It does not look at the log for another reason.
    let laptop = try await world.server.client(
      as: "ada",
      device: "laptop",
      reconcileInterval: .seconds(3_600)
    )
    let device = try await world.server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    let reader = try Reader(laptop)
    // The last ones come by the connection, or because it was made.
    for number in 0..<20 {
      try await save(number..<number + 1, with: device)
      try await reader.wait(for: number + 1)
    }
    let count = world.pushes.connectionCount
    #expect(count > 0)
    world.pushes.swallow(.both)
    try await save(20..<60, with: device)
    try await waitForConnection(beyond: count, world.pushes)
    world.pushes.swallow([])
    try await save(60..<80, with: device)
    try await reader.wait(for: 80)
    #expect(reader.names.value == (0..<80).map { "r\($0)" })
    #expect(world.pushes.swallowedBytes > 0)
    try await reader.close()
  }

  /// What became of a connection for pushes.
  private struct Subscriber {
    let proxy: CallProxy
    let events = Observed<[SubscriberConnection.Event]>([])
    private let connection: SubscriberConnection

    init(_ server: TestServer, isOneOfSeveral: Bool) async throws {
      proxy = try CallProxy(to: server.pushEndpoint)
      connection = try await SubscriberConnection(
        endpoint: proxy.endpoint,
        isOneOfSeveral: isOneOfSeveral,
        onEnd: {},
        receive: { [events] event in events.update { $0.append(event) } }
      )
      try await events.wait("a connection") { $0 == [.connected] }
    }

    func close() async { await connection.close() }
  }

  @Test("pushes of one of several servers are given up sooner than those of the only one")
  func quickPushes() async throws {
    let server = try await TestServer.start()
    let only = try await Subscriber(server, isOneOfSeveral: false)
    let quick = try await Subscriber(server, isOneOfSeveral: true)
    for proxy in [only.proxy, quick.proxy] { proxy.swallow(.both) }
    try await quick.events.wait("the silence to be noticed") { $0.contains(.disconnected) }
    #expect(only.events.value == [.connected])
    await only.close()
    await quick.close()
  }

  @Test("an inbox whose connections for pushes end amid frames misses nothing")
  func cutPushes() async throws {
    let seed = Seed.make("SilentConnectionTests.cutPushes")
    // A few pushes, of which the last does not end.
    let world = try await PushedServer(cutWithin: 4_000, seed: seed)
    let laptop = try await world.server.client(
      as: "ada",
      device: "laptop",
      reconcileInterval: .seconds(3_600)
    )
    let device = try await world.server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    let reader = try Reader(laptop)
    var saved = 0
    while world.pushes.cutCount < 5, saved < 20_000 {
      try await save(saved..<saved + 20, with: device)
      saved += 20
      try await reader.wait(for: saved)
    }
    #expect(world.pushes.cutCount >= 5, "seed \(seed)")
    #expect(reader.names.value == (0..<saved).map { "r\($0)" }, "seed \(seed)")
    try await reader.close()
  }
}
