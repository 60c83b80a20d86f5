import CZeroMQ
import RPCTestSupport
import Synchronization
import Testing
import TidingsInterop
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

import func TestSupport.waitUntil

@testable import TidingsZeroMQ

/// A server with CURVE, and who may connect to it.
struct CurveServer {
  let server: TestServer
  let pair: KeyPair
  let admitted: Observed

  final class Observed: LoopDelegate, Sendable {
    let keys = Mutex<[PublicKey: Int64]>([:])
    let refusals = Mutex<[RefusedHandshake]>([])
    let numbers = Mutex<[Int64?]>([])

    func handshakesRefused(_ refused: [RefusedHandshake], _ loop: LoopContext) {
      refusals.withLock { $0 += refused }
    }
  }

  static func start(
    endpoint: String = "tcp://127.0.0.1:0",
    push: String? = nil,
    setup: @escaping @Sendable (LoopContext) -> Void = { _ in }
  ) async throws -> CurveServer {
    let (pair, admitted) = (KeyPair(), Observed())
    let server = try await TestServer.start(endpoint: endpoint) {
      $0.pushEndpoint = push
      $0.security = .curveServer(pair) { key in
        admitted.keys.withLock { $0[key] }.map { AdmittedKey(number: $0) }
      }
    } setup: { loop in
      loop.delegate = admitted
      loop.registerInline(InteropService.empty) { call, loop in
        let number = call.keyNumber
        admitted.numbers.withLock { $0.append(number) }
        loop.reply(call.token, body: call.body)
      }
      setup(loop)
    }
    return CurveServer(server: server, pair: pair, admitted: admitted)
  }

  func admit(_ key: PublicKey, as number: Int64) {
    admitted.keys.withLock { $0[key] = number }
  }

  func client(
    _ pair: KeyPair,
    server key: PublicKey? = nil,
    patience: Duration = .seconds(60)
  ) async throws -> ClientConnection {
    try await server.client {
      $0.security = .curveClient(ClientKeys(pair, server: key ?? self.pair.publicKey))
      $0.connectTimeout = patience
      $0.timeout = .seconds(600)
    }
  }
}

@Suite("CURVE") struct CurveTests {
  @Test("a key that is admitted calls, and its number comes with every call")
  func admitted() async throws {
    let server = try await CurveServer.start()
    for number in [1, 77, .max] as [Int64] {
      let pair = KeyPair()
      server.admit(pair.publicKey, as: number)
      let client = try await server.client(pair)
      for _ in 0..<3 {
        #expect(try await client.unary(InteropService.empty, [1], options: .init()) == [1])
      }
      #expect(server.admitted.numbers.withLock { $0 } == [number, number, number])
      server.admitted.numbers.withLock { $0 = [] }
      await client.close()
    }
    await server.server.stop()
  }

  @Test("a key that is not admitted is reported so, and comes in once it is")
  func refused() async throws {
    let server = try await CurveServer.start()
    let pair = KeyPair()
    let client = try await server.client(pair)
    let error = await #expect(throws: RPCError.self) {
      try await client.unary(InteropService.empty, [], options: .init())
    }
    #expect(error?.code == .unauthenticated, "\(String(describing: error))")
    server.admit(pair.publicKey, as: 3)
    try await waitUntil("the key to be admitted", pausing: .zero) {
      (try? await client.unary(InteropService.empty, [1], options: .init())) != nil
    }
    #expect(server.admitted.numbers.withLock { $0 } == [3])
    await client.close()
    await server.server.stop()
  }

  @Test("a client learns that the server has another key")
  func wrongServerKey() async throws {
    let server = try await CurveServer.start()
    let pair = KeyPair()
    server.admit(pair.publicKey, as: 1)
    let client = try await server.client(
      pair,
      server: KeyPair().publicKey,
      patience: .seconds(2)
    )
    let error = await #expect(throws: RPCError.self) {
      try await client.unary(InteropService.empty, [], options: .init())
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("check the server key") == true, "\(String(describing: error))")
    await client.close()
    await server.server.stop()
  }

  @Test("a client without keys learns that it needs some")
  func plainClient() async throws {
    let server = try await CurveServer.start()
    let client = try await server.server.client { $0.connectTimeout = .seconds(2) }
    let error = await #expect(throws: RPCError.self) {
      try await client.unary(InteropService.empty, [], options: .init())
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("key file") == true, "\(String(describing: error))")
    await client.close()
    await server.server.stop()
  }

  @Test("a client with keys learns that the server takes none")
  func plainServer() async throws {
    let server = try await TestServer.start()
    let client = try await server.client {
      $0.security = .curveClient(ClientKeys(KeyPair(), server: KeyPair().publicKey))
      $0.connectTimeout = .seconds(2)
    }
    let error = await failure {
      _ = try await client.unary(InteropService.empty, [], options: .init())
    }
    // Which side ends an attempt first is not certain, so the client may not have read why.
    #expect(error?.message.contains("development mode") == true, "\(String(describing: error))")
    await client.close()
    await server.stop()
  }

  @Test("a client learns that nobody listens")
  func nobody() async throws {
    var configuration = ConnectionConfiguration(endpoint: TestServer.lastingEndpoint())
    configuration.connectTimeout = .seconds(2)
    let client = try await ClientConnection(configuration)
    let error = await #expect(throws: RPCError.self) {
      try await client.unary(InteropService.empty, [], options: .init())
    }
    #expect(error?.message.contains("connection refused") == true, "\(String(describing: error))")
    await client.close()
  }

  @Test("pushes reach those who are admitted, also when they are only later")
  func pushes() async throws {
    let server = try await CurveServer.start(push: "tcp://127.0.0.1:0")
    let push = try #require(server.server.server.pushEndpoint)
    let pair = KeyPair()
    let subscriber = try await SubscriberConnection(
      endpoint: push,
      security: .curveClient(ClientKeys(pair, server: server.pair.publicKey)),
      tick: .milliseconds(50)
    )
    subscriber.subscribe([1])
    var events = subscriber.events.makeAsyncIterator()
    // Refused at first: reported by the refusals.
    try await waitUntil("the refusal", pausing: .zero) {
      guard server.admitted.refusals.withLock({ $0.isEmpty }) else { return true }
      _ = await events.next()
      return false
    }
    server.admit(pair.publicKey, as: 1)
    var received: SubscriberConnection.Event?
    try await waitUntil("the push", pausing: .zero) {
      _ = server.server.server.submit { $0.publish(topic: [1], body: [2]) }
      let event = await events.next()
      if case .message? = event { received = event }
      return received != nil
    }
    #expect(received == .message(topic: [1], body: [2]))
    await subscriber.close()
    await server.server.stop()
  }

  @Test("refusals are reported with key and address")
  func refusals() async throws {
    let server = try await CurveServer.start()
    let pair = KeyPair()
    let client = try await server.client(pair)
    _ = try? await client.unary(InteropService.empty, [], options: .init())
    var refusal: RefusedHandshake?
    try await waitUntil("the refusal") {
      refusal = server.admitted.refusals.withLock { $0.first }
      return refusal != nil
    }
    #expect(refusal?.publicKey == pair.publicKey)
    #expect(refusal?.address == "127.0.0.1")
    await client.close()
    await server.server.stop()
  }

  @Test("a server that would admit anybody does not start")
  func selfTest() async throws {
    let error = await #expect(throws: TransportError.self) {
      _ = try await TestServer.start {
        $0.security = .curveServer(KeyPair()) { _ in AdmittedKey(number: 1) }
      }
    }
    #expect(error?.message.contains("must not start") == true)
    let push = await #expect(throws: TransportError.self) {
      _ = try await TestServer.start {
        $0.pushEndpoint = "tcp://127.0.0.1:0"
        $0.security = .curveServer(KeyPair()) { _ in AdmittedKey(number: 1) }
      }
    }
    #expect(push?.message.contains("must not start") == true)
  }

  @Test("a server ends when nobody admits any more, and lets nobody in")
  func handlerDies() async throws {
    let server = try await CurveServer.start()
    let pair = KeyPair()
    server.admit(pair.publicKey, as: 1)
    let client = try await server.client(pair)
    _ = try await client.unary(InteropService.empty, [], options: .init())
    _ = server.server.server.submit { $0.admission.fail() }
    await server.server.server.waitUntilEnded()
    await client.close()
  }

  @Test("with keys a server binds any address", arguments: ["tcp://0.0.0.0:0", "tcp://[::]:0"])
  func anyAddress(endpoint: String) async throws {
    let server = try await CurveServer.start(endpoint: endpoint)
    await server.server.stop()
  }

  @Test("a client's keys do not make a server")
  func clientKeysOnServer() async throws {
    await #expect(throws: TransportError.self) {
      _ = try await TestServer.start {
        $0.security = .curveClient(ClientKeys(KeyPair(), server: KeyPair().publicKey))
      }
    }
  }
}
