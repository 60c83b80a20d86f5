import CZeroMQ
import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

@Suite("ClientConnection") struct ClientConnectionTests {
  private let patient = CallOptions(timeout: .seconds(600))

  @Test("a server that is not there: UNAVAILABLE, with its endpoint")
  func unreachable() async throws {
    let endpoint = TestServer.lastingEndpoint()
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.connectTimeout = .milliseconds(20)
    let client = try await ClientConnection(configuration)
    for _ in 0..<2 {
      let error = await failure {
        _ = try await client.unary(InteropService.empty, [], options: patient)
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.hasPrefix("cannot reach \(endpoint)") == true)
    }
    await client.close()
  }

  @Test("a malformed endpoint is refused at once")
  func malformedEndpoint() async {
    await #expect(throws: TransportError.self) {
      _ = try await ClientConnection(ConnectionConfiguration(endpoint: "nonsense"))
    }
  }

  @Test("a server that starts later is found")
  func lateServer() async throws {
    let endpoint = TestServer.lastingEndpoint()
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.connectTimeout = .seconds(600)
    let client = try await ClientConnection(configuration)
    async let answer = client.unary(InteropService.empty, [1], options: patient)
    let server = try await TestServer.start(endpoint: endpoint)
    #expect(try await answer == [1])
    await client.close()
    await server.stop()
  }

  @Test("connections that are dropped while they are being made leave their context as it was")
  func droppedWhileConnecting() async throws {
    let context = try Context()
    let nobody = ConnectionConfiguration(endpoint: TestServer.lastingEndpoint())
    let server = try await TestServer.start()
    for round in 0..<1000 {
      let configuration =
        round % 2 == 0 ? nobody : ConnectionConfiguration(endpoint: server.endpoint)
      try await ClientConnection(configuration, context: context).close()
    }
    let client = try await ClientConnection(
      ConnectionConfiguration(endpoint: server.endpoint),
      context: context
    )
    #expect(try await client.unary(InteropService.empty, [1], options: patient) == [1])
    await client.close()
    await server.stop()
  }

  @Test("a safe call survives a server's restart")
  func retryAcrossRestart() async throws {
    let first = try await TestServer.start(endpoint: TestServer.lastingEndpoint())
    let client = try await first.client { $0.connectTimeout = .seconds(600) }
    async let answer = client.unary(InteropService.hangSafely, [], options: patient)
    var keyed = patient
    keyed.idempotencyKey = "key"
    async let keyedAnswer = client.unary(InteropService.hang, [], options: keyed)
    await first.probe.wait { $0.started == 2 }
    await first.stop()
    let second = try await TestServer.start(endpoint: first.endpoint, hangs: false)
    #expect(try await answer.isEmpty)
    #expect(try await keyedAnswer.isEmpty)
    #expect(second.probe.sightings.started == 2)
    await client.close()
    await second.stop()
  }

  @Test("the outcome of an unsafe call whose connection is lost is unknown, and said to be")
  func unknownOutcome() async throws {
    var router: RawSocket? = RawSocket(ZMQ_ROUTER)
    let endpoint = try #require(router?.bind())
    let client = try await ClientConnection(ConnectionConfiguration(endpoint: endpoint))
    async let outcome = failure {
      _ = try await client.unary(InteropService.sized, [1], options: patient)
    }
    #expect(await router?.receive()?.count == 3)
    router = nil
    let error = await outcome
    #expect(error?.code == .unavailable)
    #expect(error?.details == [.errorInfo(reason: "OUTCOME_UNKNOWN")])
    await client.close()
  }

  @Test("an answer that arrives right before the connection's end is delivered")
  func answerBeforeLoss() async throws {
    for _ in 0..<50 {
      let server = try await TestServer.start()
      let client = try await server.client()
      async let answer = client.unary(InteropService.hold, [], options: patient)
      await server.probe.wait { $0.started == 1 }
      async let stopped: Void = server.server.stop(grace: .seconds(600))
      await server.probe.wait { $0.stopping == 1 }
      server.probe.note { $0.isReleased = true }
      #expect(try await answer == [1])
      await stopped
      await client.close()
    }
  }

  @Test("closing fails what waits, and what comes later")
  func close() async throws {
    let server = try await TestServer.start()
    let client = try await server.client()
    async let waiting = failure {
      _ = try await client.unary(InteropService.hang, [], options: patient)
    }
    await server.probe.wait { $0.started == 1 }
    await client.close()
    #expect(await waiting?.code == .cancelled)
    let later = await failure {
      _ = try await client.unary(InteropService.empty, [], options: patient)
    }
    #expect(later?.code == .cancelled)
    let stream = await failure {
      for try await _ in client.serverStreaming(InteropService.sizes, [], options: patient) {}
    }
    #expect(stream?.code == .cancelled)
    await client.close()
    await server.stop()
  }

  @Test("default metadata goes with each call and gives way to the call's own")
  func defaultMetadata() async throws {
    let server = try await TestServer.start()
    let client = try await server.client { $0.metadata = ["a": "1", "b": "2"] }
    var options = patient
    options.metadata = ["b": "3"]
    let answer = try await client.unary(InteropService.echoMetadata, [], options: options)
    #expect(String(decoding: answer, as: UTF8.self) == "1\n3")
    await client.close()
    await server.stop()
  }
}
