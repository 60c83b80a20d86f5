import CZeroMQ
import Dispatch
import RPCTestSupport
import Synchronization
import TestSupport
import Testing
import TidingsInterop
import TidingsProto
import TidingsProtobuf
import TidingsRPC
import TidingsZeroMQ

@Suite("RPCServer") struct RPCServerTests {
  private typealias Header = TidingsRpcV1.RequestHeader

  @Test(
    "the header of a success has the bytes that protobuf-c writes",
    arguments: [0, 1, 127, 128, 1 << 35, .max] as [UInt64]
  )
  func successHeader(callID: UInt64) async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(Header(callID: callID, method: InteropService.empty.fullName), [1])
    let expected = TidingsRpcV1.ResponseHeader(
      callID: callID,
      endOfStream: true,
      hasMessage: true
    )
    #expect(await dealer.receive() == [expected.encoded(), [1]])
    await server.stop()
  }

  @Test("a call id in use is refused, and can be cancelled")
  func duplicateCallID() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    let hang = Header(callID: 5, method: InteropService.hang.fullName)
    dealer.call(hang)
    dealer.call(hang)
    let refusal = try await dealer.response().header
    #expect(refusal.callID == 5)
    #expect(refusal.status == StatusCode.invalidArgument.rawValue)
    // Another client may use the same id.
    let other = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    other.call(hang)
    await server.probe.wait { $0.started == 2 }
    dealer.call(Header(callID: 5, kind: .cancel))
    let end = try await dealer.response().header
    #expect(end.callID == 5 && end.status == StatusCode.cancelled.rawValue)
    await server.probe.wait { $0.cancelled == 1 }
    dealer.call(Header(callID: 6, method: InteropService.empty.fullName))
    #expect(try await dealer.response().header.callID == 6)
    await server.stop()
  }

  private struct SecretFailure: Error, CustomStringConvertible {
    let description = "cannot open '/secret'"
  }

  @Test(
    "the cause of a task's failure is passed to the loop, and is not sent",
    arguments: [FailingService.unary, FailingService.stream]
  )
  func cause(method: MethodDescriptor) async throws {
    let (causes, logged) = AsyncStream.makeStream(of: String.self)
    let failure = RPCError(.unavailable, "try again later", cause: SecretFailure())
    let server = try await TestServer.start(setup: { loop in
      loop.register(FailingService(failure))
      loop.delegate = CauseLog(logged)
    })
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(Header(callID: 1, method: method.fullName, credit: 1))
    let frames = try #require(await dealer.receive())
    let expected = TidingsRpcV1.ResponseHeader(
      callID: 1,
      status: StatusCode.unavailable.rawValue,
      message: "try again later",
      endOfStream: true
    )
    #expect(frames == [expected.encoded(), []])
    #expect(await causes.first { _ in true } == failure.debugDescription)
    await server.stop()
  }

  @Test("more tasks than the limit are refused")
  func callsInFlightMax() async throws {
    let server = try await TestServer.start { $0.callsInFlightMax = 2 }
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    for id in 1...3 {
      dealer.call(Header(callID: UInt64(id), method: InteropService.hang.fullName))
    }
    let refusal = try await dealer.response().header
    #expect(refusal.callID == 3)
    #expect(refusal.status == StatusCode.resourceExhausted.rawValue)
    await server.stop()
  }

  @Test("a deadline ends a task")
  func deadline() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(Header(callID: 1, method: InteropService.hang.fullName, timeoutMs: 10))
    #expect(try await dealer.response().header.status == StatusCode.deadlineExceeded.rawValue)
    await server.probe.wait { $0.cancelled == 1 }
    await server.stop()
  }

  @Test("a stream without credit is given up")
  func creditStall() async throws {
    let server = try await TestServer.start { $0.creditStallMax = .milliseconds(10) }
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(
      Header(callID: 1, method: InteropService.flood.fullName, credit: 3),
      InteropService.numbers([1000])
    )
    for _ in 0..<3 { #expect(try await dealer.response().header.hasMessage) }
    let end = try await dealer.response().header
    #expect(end.status == StatusCode.cancelled.rawValue && end.endOfStream)
    await server.probe.wait { $0.cancelled == 1 }
    #expect(server.probe.sightings.written == 3)
    await server.stop()
  }

  @Test("the tasks of a client end with its connection")
  func goneClient() async throws {
    let server = try await TestServer.start()
    do {
      let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
      for id in [1, 2] as [UInt64] {
        dealer.call(Header(callID: id, method: InteropService.hang.fullName))
      }
      await server.probe.wait { $0.started == 2 }
    }
    await server.probe.wait { $0.cancelled == 2 }
    await server.stop()
  }

  @Test("stopping lets running calls finish and refuses new ones")
  func gracefulStop() async throws {
    let server = try await TestServer.start()
    let client = try await server.client()
    async let running = client.unary(
      InteropService.hold,
      [],
      options: CallOptions(timeout: .seconds(600))
    )
    await server.probe.wait { $0.started == 1 }
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(Header(callID: 1, method: InteropService.empty.fullName))
    _ = try await dealer.response()
    let (first, second) = (
      Task { await server.server.stop(grace: .seconds(600)) },
      Task { await server.server.stop(grace: .seconds(600)) }
    )
    await server.probe.wait { $0.stopping == 1 }
    dealer.call(Header(callID: 2, method: InteropService.empty.fullName))
    let refusal = try await dealer.response().header
    #expect(refusal.callID == 2 && refusal.status == StatusCode.unavailable.rawValue)
    server.probe.note { $0.isReleased = true }
    #expect(try await running == [1])
    await first.value
    await second.value
    #expect(!server.server.submit { _ in })
    await client.close()
  }

  @Test("after the grace period running calls are answered and cancelled")
  func graceIsOver() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.call(Header(callID: 1, method: InteropService.hang.fullName))
    await server.probe.wait { $0.started == 1 }
    await server.server.stop(grace: .milliseconds(1))
    let end = try await dealer.response().header
    #expect(end.callID == 1 && end.status == StatusCode.unavailable.rawValue)
    await server.probe.wait { $0.cancelled == 1 }
  }

  @Test(
    "an endpoint that others can reach is refused in development mode",
    arguments: ["tcp://0.0.0.0:0", "tcp://*:0", "tcp://10.0.0.1:0", "tcp://127.0.0.1.example:0"]
  )
  func otherHosts(endpoint: String) async throws {
    await #expect(throws: TransportError.self) {
      _ = try await RPCServer.start(ServerConfiguration(endpoint: endpoint)) { _ in }
    }
    await #expect(throws: TransportError.self) {
      _ = try await RPCServer.start(
        ServerConfiguration(endpoint: "tcp://127.0.0.1:0", pushEndpoint: endpoint)
      ) { _ in }
    }
  }

  @Test("a start that fails says why, and leaves nothing behind")
  func failingStart() async throws {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      _ = try await RPCServer.start(ServerConfiguration(endpoint: "tcp://127.0.0.1:0")) { _ in
        throw Refusal()
      }
    }
    let server = try await TestServer.start(endpoint: TestServer.lastingEndpoint())
    await #expect(throws: TransportError.self) {
      _ = try await RPCServer.start(ServerConfiguration(endpoint: server.endpoint)) { _ in }
    }
    let endpoint = server.endpoint
    await server.stop()
    let again = try await TestServer.start(endpoint: endpoint)
    await again.stop()
  }

  @Test("a client that does not read delays nobody and loses no answer")
  func slowClient() async throws {
    let server = try await TestServer.start { $0.repliesQueuedMax = 10 }
    let slow = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint, receiveQueueMax: 1)
    let body = [UInt8](repeating: 1, count: 1 << 18)
    var sent: UInt64 = 0
    try await waitUntil("an answer to be delayed", pausing: .zero) {
      guard await server.counters().repliesDelayed == 0 else { return true }
      sent += 1
      slow.call(Header(callID: sent, method: InteropService.empty.fullName), body)
      return false
    }
    let executed = server.probe.sightings.executed
    let client = try await server.client()
    #expect(try await client.unary(InteropService.empty, [3], options: CallOptions()) == [3])
    sent += 1
    slow.call(Header(callID: sent, method: InteropService.empty.fullName), body)
    // A refusal may overtake calls that wait for their turn.
    var (answered, refused): ([UInt64], [UInt64]) = ([], [])
    for _ in 1...sent {
      let header = try await slow.response().header
      if header.status == 0 {
        answered.append(header.callID)
      } else {
        refused.append(header.callID)
      }
    }
    #expect(answered == answered.sorted())
    #expect((answered + refused).sorted() == Array(1...sent))
    #expect(answered.count + 1 == server.probe.sightings.executed)
    #expect(answered.count >= executed)
    slow.call(Header(callID: sent + 1, method: InteropService.empty.fullName), [4])
    #expect(try await slow.response().body == [4])
    await client.close()
    await server.stop()
  }

  @Test("more submitted work than the limit is refused, the rest runs")
  func submit() async throws {
    let server = try await TestServer.start()
    let (isHeld, release, ran) = (Observed(false), DispatchSemaphore(value: 0), Observed(0))
    let isTaken = server.server.submit { _ in
      isHeld.update { $0 = true }
      release.wait()
    }
    #expect(isTaken)
    try await isHeld.wait("the loop") { $0 }
    var taken = 0
    while taken <= RPCServer.jobsMax, server.server.submit({ _ in ran.update { $0 += 1 } }) {
      taken += 1
    }
    #expect(taken == RPCServer.jobsMax)
    release.signal()
    try await ran.wait("the work that was taken") { [taken] in $0 == taken }
    await server.stop()
  }
}

/// Notes the causes of failures.
private final class CauseLog: LoopDelegate {
  private let causes: AsyncStream<String>.Continuation

  init(_ causes: AsyncStream<String>.Continuation) { self.causes = causes }

  func callFailed(_ error: RPCError, _ loop: LoopContext) { causes.yield(error.debugDescription) }
}
