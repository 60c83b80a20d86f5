import RPCTestSupport
import Synchronization
import Testing
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

import func TestSupport.waitUntil

/// A client of several nodes.
@Suite struct SeveralEndpointsTests {
  private let patient = CallOptions(timeout: .seconds(600))

  private func client(
    _ endpoints: String...,
    configure: (inout ConnectionConfiguration) -> Void = { _ in }
  ) async throws -> ClientConnection {
    var configuration = ConnectionConfiguration(endpoints: endpoints)
    configuration.connectTimeout = .seconds(600)
    configure(&configuration)
    return try await ClientConnection(configuration)
  }

  private func call(_ client: ClientConnection, size: UInt32 = 1) async throws -> Int {
    try await client.unary(InteropService.sized, InteropService.numbers([size]), options: patient)
      .count
  }

  private func drain(_ server: TestServer, _ drains: Bool = true) async {
    await withCheckedContinuation { continuation in
      let isTaken = server.server.submit { loop in
        if drains { loop.drain() } else { loop.resume() }
        continuation.resume()
      }
      precondition(isTaken)
    }
  }

  @Test("the first endpoint that connects is used, and no other while it lives")
  func first() async throws {
    let (one, two) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(TestServer.lastingEndpoint(), one.endpoint, two.endpoint)
    for _ in 0..<5 { #expect(try await call(client) == 1) }
    #expect(one.probe.sightings.executed == 5 && two.probe.sightings.executed == 0)
    await client.close()
    await one.stop()
    await two.stop()
  }

  @Test("when the server is gone, its safe calls go to the next one, and so do later ones")
  func next() async throws {
    let first = try await TestServer.start()
    let second = try await TestServer.start(hangs: false)
    let moves = Mutex(0)
    let client = try await client(first.endpoint, second.endpoint) {
      $0.onMove = { moves.withLock { $0 += 1 } }
    }
    async let answer = client.unary(InteropService.hangSafely, [], options: patient)
    await first.probe.wait { $0.started == 1 }
    await first.stop()
    #expect(try await answer.isEmpty)
    #expect(try await call(client) == 1)
    #expect(second.probe.sightings.executed == 1 && moves.withLock { $0 } == 1)
    await client.close()
    await second.stop()
  }

  @Test("where none can be reached, the error names each with its reason")
  func unreachable() async throws {
    let (one, two) = (TestServer.lastingEndpoint(), TestServer.lastingEndpoint())
    let client = try await client(one, two) { $0.connectTimeout = .milliseconds(500) }
    var message = ""
    // The first calls may end before the second endpoint was tried.
    try await waitUntil("the second endpoint to be tried", pausing: .zero) {
      let error = await failure { _ = try await call(client) }
      #expect(error?.code == .unavailable)
      message = error?.message ?? ""
      return message.contains("\(two): connection refused")
    }
    #expect(message.contains("cannot reach any of the endpoints: \(one): connection refused; "))
    await client.close()
  }

  @Test("calls that a draining server refuses go to the next; those that it has, it answers")
  func draining() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first.endpoint, second.endpoint)
    async let held = client.unary(InteropService.hold, [], options: patient)
    await first.probe.wait { $0.started == 1 }
    await drain(first)
    // Not safe to repeat, and not begun.
    for _ in 0..<3 { #expect(try await call(client, size: 5) == 5) }
    #expect(first.probe.sightings.executed == 0 && second.probe.sightings.executed == 3)
    first.probe.note { $0.isReleased = true }
    #expect(try await held == [1])
    #expect(second.probe.sightings.started == 3)
    await client.close()
    await first.stop()
    await second.stop()
  }

  @Test("a stream that a draining server has goes on there, with its credit, and can be cancelled")
  func drainingStream() async throws {
    // Whether an answer arrives while credit is sent is a matter of chance.
    for _ in 0..<10 { try await streamAcrossDrain() }
  }

  private func streamAcrossDrain() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first.endpoint, second.endpoint)
    let flood = client.serverStreaming(
      InteropService.flood,
      InteropService.numbers([1000]),
      options: patient
    )
    var iterator = flood.makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    let hanging = Task {
      for try await _ in client.serverStreaming(
        InteropService.firstThenHang,
        [],
        options: patient
      ) {}
    }
    await first.probe.wait { $0.started == 2 }
    await drain(first)
    #expect(try await call(client) == 1)
    #expect(second.probe.sightings.executed == 1)
    var count = 1
    while try await iterator.next() != nil { count += 1 }
    #expect(count == 1000)
    hanging.cancel()
    await first.probe.wait { $0.cancelled == 1 }
    await client.close()
    await first.stop()
    await second.stop()
  }

  @Test("calls on a draining server that goes away end as on any lost connection")
  func drainedAndLost() async throws {
    let first = try await TestServer.start()
    let second = try await TestServer.start(hangs: false)
    let client = try await client(first.endpoint, second.endpoint)
    async let safe = client.unary(InteropService.hangSafely, [], options: patient)
    async let unsafe = failure {
      _ = try await client.unary(InteropService.hang, [], options: patient)
    }
    await first.probe.wait { $0.started == 2 }
    await drain(first)
    #expect(try await call(client) == 1)
    await first.stop()
    #expect(try await safe.isEmpty)
    #expect(await unsafe?.code == .unavailable)
    await client.close()
    await second.stop()
  }

  @Test("where all drain, a call is refused; when one takes calls again, it gets them")
  func allDrain() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    let client = try await client(first.endpoint, second.endpoint)
    await drain(first)
    await drain(second)
    for _ in 0..<3 {
      let error = await failure { _ = try await call(client) }
      #expect(error?.code == .unavailable && error?.message.contains("drains") == true)
    }
    await drain(first, false)
    #expect(try await call(client) == 1)
    #expect(first.probe.sightings.executed == 1 && second.probe.sightings.executed == 0)
    await client.close()
    await first.stop()
    await second.stop()
  }
}
