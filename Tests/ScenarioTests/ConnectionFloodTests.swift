import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsRPC

/// Connections that are opened and say nothing do not keep others out.
@Suite(.serialized, .endsServers) struct ConnectionFloodTests {
  /// Keeps a number of connections open that never speak, however often they are ended.
  private final class Flood: Sendable {
    private let connections: Mutex<[TCPConnection]>
    private let endpoint: String

    init(_ count: Int, to endpoint: String) throws {
      self.endpoint = endpoint
      var made: [TCPConnection] = []
      for _ in 0..<count { made.append(try TCPConnection(endpoint, waits: false)) }
      connections = Mutex(made)
    }

    /// Opens those again that the server has ended.
    ///
    /// - Returns: How many.
    @discardableResult
    func renew() throws -> Int {
      try connections.withLock { connections in
        var count = 0
        for index in connections.indices where connections[index].hasEnded {
          connections[index] = try TCPConnection(endpoint, waits: false)
          count += 1
        }
        return count
      }
    }

    func stop() { connections.withLock { $0 = [] } }
  }

  @Test("while 10,000 handshakes are half-open, who is admitted connects and calls")
  func halfOpen() async throws {
    let server = try await SecureServer.start()
    // This process runs other tests too; the limit of the machine may be lower than 10,000.
    let count = min(10_000, Descriptors.countMax / 2 - 500)
    try #require(count >= 200, "the limit of \(Descriptors.countMax) descriptors is too low")
    let flood = try Flood(count, to: server.server.rpcEndpoint)
    var ended = 0
    try await waitUntil("the server to end a tenth of the connections", pausing: .zero) {
      ended += try flood.renew()
      return ended >= count / 10
    }
    for _ in 0..<5 {
      let began = ContinuousClock.now
      let client = try await server.client(connectTimeout: .seconds(600))
      #expect(try await client.health.check(.init()).status == .serving)
      let taken = ContinuousClock.now - began
      print("\(count) half-open handshakes: connected and answered after \(taken)")
      await client.close()
      try flood.renew()
    }
    #expect(try server.server.process.memoryPeakBytes() < 600 << 20)
    flood.stop()
  }

  /// What an open connection asks for: calls that need no more files than are open, and some that may.
  private struct Work {
    let client: Client
    private let content: [UInt8]
    private let asset: TidingsV1.Asset

    /// Uploads something first.
    init(_ client: Client) async throws {
      self.client = client
      content = [UInt8](repeating: 7, count: 100_000)
      asset = try await client.assets().upload(content)
      try await client.save(.init("Houses", "photo", ["photo": .init(.assetValue(asset))]))
      try await saveAndRead(0)
    }

    /// Saves a record, and looks it up.
    func saveAndRead(_ number: Int) async throws {
      let record = TidingsV1.Record(
        "Houses",
        "h\(number)",
        ["n": .init(integerLiteral: Int64(number))]
      )
      try await client.save(record)
      #expect(try await client.fetch([.init("h\(number)")]).first?.record?.fields == record.fields)
    }

    /// Finds the record with a query.
    func query(_ number: Int) async throws {
      let page = try await client.records.queryRecords(
        .init(recordType: "Houses", predicate: .init(text: "n = \(number)"))
      )
      #expect(page.records.map(\.recordID?.recordName) == ["h\(number)"])
    }

    func upload(_ number: Int) async throws {
      let new = content + Array("\(number)".utf8)
      let asset = try await client.assets().upload(new)
      #expect(try await client.assets().download(asset) == new)
    }

    func download() async throws {
      #expect(try await client.assets().download(asset) == content)
    }

    /// Does all of it; what needs another file may be refused with that reason.
    ///
    /// - Returns: How much was refused.
    @discardableResult
    func doAll(_ number: Int) async throws -> Int {
      #expect(try await client.health.check(.init()).status == .serving)
      try await saveAndRead(number)
      let refusals = [
        await failure { try await query(number) },
        await failure { try await upload(number) },
        await failure { try await download() },
      ].compactMap { $0 }
      for refusal in refusals {
        #expect(refusal.code == .unavailable, "\(refusal)")
        #expect(refusal.message.contains("the server has too many files open"), "\(refusal)")
      }
      return refusals.count
    }
  }

  /// A client of a new user that does not repeat what is refused.
  private func makeClient(of server: SecureServer) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.server.rpcEndpoint)
    configuration.keys = server.keys(try await server.createUser("ada"))
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    configuration.retryCountMax = 0
    return try await Client(configuration)
  }

  @Test("a server without file descriptors pauses accepting, and resumes later")
  func noDescriptors() async throws {
    let server = try await SecureServer.start(descriptorsMax: 700)
    let served = try await Work(makeClient(of: server))
    let flood = try Flood(900, to: server.server.rpcEndpoint)
    // The server logs a warning; open connections are served.
    let process = server.server.process
    try await waitUntil("a warning that new connections are not accepted", pausing: .zero) {
      if process.seen.value.errors.contains("new connections are not accepted") { return true }
      try flood.renew()
      #expect(try await served.client.health.check(.init()).status == .serving)
      return false
    }
    for number in 1...10 {
      try flood.renew()
      try await served.doAll(number)
    }
    flood.stop()
    let client = try await server.client(connectTimeout: .seconds(600))
    #expect(try await client.health.check(.init()).status == .serving)
    #expect(try await served.doAll(11) == 0)
  }

  @Test("with few descriptors, a user's idle connections do not keep another user's new caller out")
  func idleConnections() async throws {
    let server = try await SecureServer.start(descriptorsMax: 700)
    let (eve, ada) = (
      server.keys(try await server.createUser("eve")),
      server.keys(try await server.createUser("ada"))
    )
    // Half of the descriptors are for connections, and a quarter of those for the unused ones of a user.
    let perUser = 700 / 2 / 4
    var idle: [ZMTPPeer] = []
    for _ in 0..<perUser + 3 {
      let peer = try? await ZMTPPeer.connect(server.server.rpcEndpoint, keys: eve)
      if let peer { idle.append(peer) }
    }
    #expect(idle.count == perUser)
    var check = RawCall("tidings.rpc.v1.HealthService/Check")
    check.header.metadata = [:]
    for _ in 0..<10 {
      let caller = try await ZMTPPeer.connect(server.server.rpcEndpoint, keys: ada)
      #expect(try await check.send(on: caller).0.status == 0)
    }
    withExtendedLifetime(idle) {}
  }

  @Test(
    "a server that gets no descriptor at all serves open connections, and everybody afterwards",
    .embeddedOnly
  )
  func noneLeft() async throws {
    let server = try await SecureServer.start(descriptorsMax: 700)
    let served = try await Work(makeClient(of: server))
    try server.server.process.limitDescriptors(to: 1)
    var refusalCount = 0
    for number in 1...5 { refusalCount += try await served.doAll(number) }
    #expect(refusalCount > 0, "the limit was not felt")
    try server.server.process.limitDescriptors(to: 700)
    let client = try await server.client(connectTimeout: .seconds(600))
    #expect(try await client.health.check(.init()).status == .serving)
    #expect(try await served.doAll(6) == 0)
    for number in 0...6 { try await served.query(number) }
    #expect(server.server.process.seen.value.exit == nil)
  }
}
