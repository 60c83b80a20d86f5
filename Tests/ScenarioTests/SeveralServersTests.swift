internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// Clients with a list of endpoints, and real servers behind it that end, hang or drain.
@Suite(.endsServers) struct SeveralServersTests {
  private func client(
    _ servers: TestServer...,
    as user: String = "ada",
    device: String = "laptop",
    connectTimeout: Duration = .seconds(600)
  ) async throws -> Client {
    var configuration = ClientConfiguration(endpoints: servers.map(\.rpcEndpoint))
    configuration.user = user
    configuration.device = device
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = connectTimeout
    // Only pushes, and moves from server to server, let streams look at the log.
    configuration.reconcileInterval = .seconds(3_600)
    return try await Client(configuration)
  }

  /// Saves with a key: whether the loss of a connection is noticed before or after, it is done once.
  private func save(_ name: String, _ type: String = "Notes", with client: Client) async throws {
    let result = try await client.modify([.init(type, name)], key: name).first
    #expect(result?.record != nil, "\(String(describing: result))")
  }

  /// Stops the process of a server, which does nothing any more until it is continued.
  private func pause(_ server: TestServer) async throws {
    server.process.send(19)
    try await waitUntil("the process to be stopped", pausing: .milliseconds(1)) {
      try server.process.processFile("status").contains("State:\tT")
    }
  }

  /// Whether a server has a record.
  private func has(_ server: TestServer, _ name: String) async throws -> Bool {
    let client = try await server.client(as: "ada")
    return try await client.fetch([.init(name)]).first?.record != nil
  }

  @Test("when the first server is killed, the client goes on with the second")
  func killed() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first, second)
    try await client.save(.init("Notes", "a"))
    #expect(try await has(first, "a"))
    try await first.crash()
    try await save("b", with: client)
    #expect(try await has(second, "b"))
    #expect(try await !has(second, "a"))
  }

  @Test(
    "a server that is stopped in the middle is noticed, by a client and by one that comes later"
  )
  func paused() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first, second)
    try await client.save(.init("Notes", "a"))
    try await pause(first)
    // Safe to repeat: it is sent to the first, which takes it and answers nothing.
    #expect(try await client.fetch([.init("a")]).first?.record == nil)
    try await client.save(.init("Notes", "b"))
    let late = try await self.client(first, second)
    try await late.save(.init("Notes", "c"))
    for name in ["b", "c"] { #expect(try await has(second, name)) }
    first.process.send(18)
  }

  @Test("a server that drains gets no more calls, and none fails")
  func drained() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first, second)
    try await client.save(.init("Notes", "a"))
    let drained = await RpcctlRun(first, ["server", "drain"])
    #expect(drained.exitCode == .success, "\(drained.err)")
    for number in 0..<5 { try await client.save(.init("Notes", "b\(number)")) }
    for number in 0..<5 { #expect(try await has(second, "b\(number)")) }
  }

  @Test("where nobody listens at first, the second server is used, by rpcctl too")
  func unreachable() async throws {
    let (gone, second) = (try await TestServer.startLasting(), try await TestServer.start())
    try await gone.crash()
    try await client(gone, second).save(.init("Notes", "a"))
    let list = "\(gone.rpcEndpoint), \(second.rpcEndpoint)"
    let run = await RpcctlRun(second, ["--endpoint", list, "records", "get", "a"])
    #expect(run.exitCode == .success, "\(run.err)")
    let variables = ["RPCCTL_CONNECT_TIMEOUT": "3s"]
    let nowhere = "\(gone.rpcEndpoint),ipc:///nowhere/x"
    let failed = await RpcctlRun(
      second,
      ["--endpoint", nowhere, "records", "get", "a"],
      environment: variables
    )
    #expect(failed.exitCode == .failedCall(.unavailable))
    #expect(failed.err.contains("\(gone.rpcEndpoint): connection refused; ipc:///nowhere/x: "))
  }

  @Test(
    "a server that rejects the handshake is left for the next; a key that none admits fails calls"
  )
  func keys() async throws {
    let (open, secure) = (try await TestServer.start(), try await SecureServer.start())
    var configuration = ClientConfiguration(
      endpoints: [open.rpcEndpoint, secure.server.rpcEndpoint]
    )
    configuration.keys = secure.keys(secure.administrator)
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(600)
    try await Client(configuration).save(.init("Notes", "a"))
    // Two names of one server.
    configuration.endpoints = [
      secure.server.rpcEndpoint,
      secure.server.rpcEndpoint.replacingOccurrences(of: "127.0.0.1", with: "localhost"),
    ]
    configuration.keys = secure.keys(KeyPair())
    let stranger = try await Client(configuration)
    let error = await failure { try await stranger.save(.init("Notes", "a")) }
    #expect(error?.code == .unauthenticated, "\(String(describing: error))")
    for endpoint in configuration.endpoints {
      #expect(error?.message.contains("\(endpoint): does not admit this key") == true)
    }
  }

  @Test("when both servers were gone, the one that comes back is used")
  func comesBack() async throws {
    let (first, second) = (
      try await TestServer.startLasting(), try await TestServer.startLasting()
    )
    let client = try await client(first, second)
    try await client.save(.init("Notes", "a"))
    try await first.crash()
    try await second.crash()
    // It waits for a connection; the server that comes back has what was saved before.
    let fetched = Task { try await client.fetch([.init("a")]) }
    let again = try await first.restarted()
    #expect(try await fetched.value.first?.record != nil)
    try await again.crash()
    let other = try await second.restarted()
    #expect(try await client.fetch([.init("a")]).first?.record == nil)
    try await client.save(.init("Notes", "b"))
    #expect(try await has(other, "b"))
  }

  /// The next server with the data of one that ended, on the port of another, and with another push endpoint.
  private func successor(of server: TestServer, at port: TestServer) async throws -> TestServer {
    try await .start(in: server.folder, rpc: port.rpcEndpoint)
  }

  @Test("a stream goes on at the push endpoint of the next server, and misses nothing")
  func stream() async throws {
    let (first, port) = (try await TestServer.start(), try await TestServer.startLasting())
    try await port.stop()
    let laptop = try await client(first, port)
    let device = try await client(first, port, device: "server")
    try await laptop.subscribe(.init("all", "Houses"))
    // The log is looked at only when something was pushed, or missed.
    let stream = Collector(laptop)
    try await device.save(.init("Houses", "r0"))
    try await stream.wait(for: 1)
    try await first.crash()
    let second = try await successor(of: first, at: port)
    #expect(second.pushEndpoint != first.pushEndpoint)
    for number in 1..<6 {
      try await save("r\(number)", "Houses", with: device)
      try await stream.wait(for: number + 1)
    }
    let names = stream.seen.value.compactMap(\.recordID?.recordName)
    #expect(names == (0..<6).map { "r\($0)" })
    try await stream.stop()
  }

  @Test("a stream and a worker leave a server that hangs, though they have no call under way")
  func hangingServer() async throws {
    let (first, port) = (try await TestServer.start(), try await TestServer.startLasting())
    try await port.stop()
    let laptop = try await client(first, port)
    try await laptop.subscribe(.init("all", "Houses"))
    let (stream, done) = (Collector(laptop), Observed<[String]>([]))
    let worker = Task {
      try await laptop.notificationWorkers(group: "jobs").workOnEach { lease in
        done.update { $0.append(lease.notification.recordID?.recordName ?? "") }
      }
    }
    try await save("r0", "Houses", with: first.client(as: "ada", device: "server"))
    try await stream.wait(for: 1)
    try await done.wait("r0") { $0 == ["r0"] }
    try await pause(first)
    // Another server with its data, as a node of one database has.
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: first.folder.file("data"), toPath: folder.file("data"))
    let second = try await TestServer.start(in: folder, rpc: port.rpcEndpoint)
    let device = try await second.client(as: "ada", device: "server")
    for number in 1..<4 {
      try await save("r\(number)", "Houses", with: device)
      try await stream.wait(for: number + 1)
      try await done.wait("r\(number)") { $0.contains("r\(number)") }
    }
    let names = stream.seen.value.compactMap(\.recordID?.recordName)
    #expect(names == (0..<4).map { "r\($0)" })
    worker.cancel()
    try? await worker.value
    try await stream.stop()
    first.process.send(18)
  }

  @Test("workers keep their leases across servers, and are woken by the next one")
  func workers() async throws {
    let (first, port) = (try await TestServer.start(), try await TestServer.startLasting())
    try await port.stop()
    let laptop = try await client(first, port)
    let device = try await client(first, port, device: "server")
    try await laptop.subscribe(.init("all", "Jobs"))
    let gate = Observed(false)
    let (begun, done) = (Observed<[String]>([]), Observed<[String]>([]))
    let worker = Task {
      try await laptop.notificationWorkers(group: "jobs", visibilityTimeout: .seconds(3600))
        .workOnEach { lease in
          let name = lease.notification.recordID?.recordName ?? ""
          begun.update { $0.append(name) }
          try await gate.wait("the test") { $0 }
          done.update { $0.append(name) }
        }
    }
    try await device.save(.init("Jobs", "r0"))
    try await begun.wait("the first") { $0 == ["r0"] }
    try await first.crash()
    let second = try await successor(of: first, at: port)
    #expect(second.pushEndpoint != first.pushEndpoint)
    gate.update { $0 = true }
    for number in 1..<4 {
      try await save("r\(number)", "Jobs", with: device)
      try await done.wait("r\(number)") { $0.count == number + 1 }
    }
    #expect(begun.value == (0..<4).map { "r\($0)" })
    worker.cancel()
    try? await worker.value
  }
}
