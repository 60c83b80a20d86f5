internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// The server's key is replaced while clients with the old one and the new one are served.
@Suite(.endsServers) struct ServerKeyRotationTests {
  private struct World {
    let folder: TemporaryFolder
    let administrator: KeyPair
    let old: PublicKey
    let new = KeyPair()

    init() async throws {
      folder = try TemporaryFolder()
      administrator = try await SecureServer.initialize(folder)
      old = try KeyFile(path: folder.file("data/server.pub")).publicKey
      try KeyFile.pair(new).write(to: folder.file("next.key"), title: "next")
    }

    var arguments: [String] {
      [
        "--next-server-key-file", folder.file("next.key"), "--next-rpc", "tcp://127.0.0.1:0",
        "--next-push", "tcp://127.0.0.1:0",
      ]
    }

    func client(
      _ endpoint: String,
      pinning server: PublicKey,
      _ pair: KeyPair? = nil,
      device: String,
      isPatient: Bool = true
    ) async throws -> Client {
      var configuration = ClientConfiguration(endpoint: endpoint)
      configuration.keys = ClientKeys(pair ?? administrator, server: server)
      configuration.device = device
      configuration.timeout = .seconds(600)
      configuration.connectTimeout = isPatient ? .seconds(60) : .seconds(2)
      if !isPatient { configuration.retryCountMax = 0 }
      return try await Client(configuration)
    }
  }

  @Test("both keys are served side by side, calls and pushes, until the old one goes")
  func overlap() async throws {
    let world = try await World()
    let server = try await TestServer.start(in: world.folder, arguments: world.arguments)
    let before = try await world.client(server.rpcEndpoint, pinning: world.old, device: "old")
    let information = TidingsRpcV1.ServerService.Client(before.transport)
    let endpoints = try await information.fetchServerInfo(.init()).endpoints
    #expect(endpoints.map(\.serverKey) == [world.old.description, world.new.publicKey.description])
    #expect(endpoints.first?.rpcEndpoint == server.rpcEndpoint)
    #expect(endpoints.first?.pushEndpoint == server.pushEndpoint)
    let next = try #require(endpoints.last)
    let after = try await world.client(
      next.rpcEndpoint,
      pinning: world.new.publicKey,
      device: "new"
    )
    // Each is reported where pushes come from with its key, and gets them there.
    try await before.subscribe(.init("all", "Notes"))
    let registered = [
      try await before.notifications.registerDevice(.init()).pushEndpoint,
      try await after.notifications.registerDevice(.init()).pushEndpoint,
    ]
    #expect(registered == endpoints.map(\.pushEndpoint))
    let streams = [Collector(before), Collector(after)]
    let administration = TidingsV1.AdminService.Client(before.transport)
    try await waitUntil("two subscribers with topics") {
      try await administration.listConnections(.init()).connections
        .filter { $0.isSubscriber && $0.topics > 0 }.count >= 2
    }
    let writer = try await world.client(server.rpcEndpoint, pinning: world.old, device: "writer")
    for (count, name) in [(1, "a"), (2, "b")] {
      try await writer.save(.init("Notes", name, ["n": 1]))
      for stream in streams {
        #expect(try await stream.wait(for: count).last?.recordID?.recordName == name)
      }
    }
    for stream in streams { try await stream.stop() }

    // A key is good at its own endpoint only, and who is not admitted is not at either.
    let strangers = [
      try await world.client(next.rpcEndpoint, pinning: world.old, device: "", isPatient: false),
      try await world.client(
        server.rpcEndpoint,
        pinning: world.new.publicKey,
        device: "",
        isPatient: false
      ),
      try await world.client(
        next.rpcEndpoint,
        pinning: world.new.publicKey,
        KeyPair(),
        device: "",
        isPatient: false
      ),
    ]
    for stranger in strangers {
      let refusal = await failure { _ = try await stranger.fetch([.init("a")]) }
      #expect(
        [.unavailable, .unauthenticated].contains(refusal?.code),
        "\(String(describing: refusal))"
      )
    }

    // The new key takes the old one's place; clients that have it change nothing.
    #expect(try await server.stop() == .code(0))
    let data = world.folder.file("data")
    try FileManager.default.removeItem(atPath: data + "/server.key")
    try FileManager.default.removeItem(atPath: data + "/server.pub")
    try FileManager.default.moveItem(
      atPath: world.folder.file("next.key"),
      toPath: data + "/server.key"
    )
    let replaced = try await TestServer.start(
      in: world.folder,
      rpc: next.rpcEndpoint,
      push: next.pushEndpoint
    )
    #expect(try KeyFile(path: data + "/server.pub").publicKey == world.new.publicKey)
    #expect(try await after.fetch([.init("b")]).first?.record != nil)
    let only = try await TidingsRpcV1.ServerService.Client(after.transport)
      .fetchServerInfo(.init()).endpoints
    #expect(only.map(\.rpcEndpoint) == [replaced.rpcEndpoint])
    try await after.save(.init("Notes", "c", ["n": 1]))
  }

  @Test("what does not fit together stops the start, with words")
  func refusals() async throws {
    let world = try await World()
    func words(_ arguments: [String], data: String = "data") async throws -> String {
      let process = try ServerProcess(
        arguments: [
          "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data",
          world.folder.file(data),
        ] + arguments
      )
      #expect(try await process.waitForExit() != .code(0))
      return process.seen.value.errors
    }
    let missing = try await words(Array(world.arguments.prefix(2)))
    #expect(missing.contains("--next-rpc and --next-push"), "\(missing)")
    var same = world.arguments
    same[1] = world.folder.file("data/server.key")
    #expect(try await words(same).contains("is the one that it has"))
    var gone = world.arguments
    gone[1] = world.folder.file("nothing.key")
    #expect(try await words(gone).contains("next key"))
    #expect(try await words(world.arguments, data: "other").contains("no server key"))
  }
}
