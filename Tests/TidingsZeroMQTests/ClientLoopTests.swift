import Glibc
import Synchronization
import Testing
import TidingsInterop
import TidingsRPC

@testable import TidingsZeroMQ

/// A server whose answers wait until the test lets them go, so that none arrives while a call is sent.
private struct HoldingServer {
  private final class Gate: Sendable {
    let isOpen = Atomic(true)
    /// Calls that wait, on the loop.
    let held = Mutex<[(ReplyToken, [UInt8])]>([])
  }

  private let gate: Gate
  let server: TestServer

  static func start() async throws -> HoldingServer {
    let gate = Gate()
    let server = try await TestServer.start(setup: { loop in
      loop.registerInline(InteropService.empty) { call, loop in
        let body = Array(call.body)
        if gate.isOpen.load(ordering: .acquiring) {
          loop.reply(call.token, body: body)
        } else {
          gate.held.withLock { $0.append((call.token, body)) }
        }
      }
    })
    return HoldingServer(gate: gate, server: server)
  }

  private init(gate: Gate, server: TestServer) { (self.gate, self.server) = (gate, server) }

  func hold() { gate.isOpen.store(false, ordering: .releasing) }

  /// Answers what it holds, and all that comes from now on.
  ///
  /// Returns when that was done: later it could answer a call that is to be held.
  func release() async {
    gate.isOpen.store(true, ordering: .releasing)
    await withCheckedContinuation { continuation in
      let isTaken = server.server.submit { [gate] loop in
        let held = gate.held.withLock { held in
          defer { held = [] }
          return held
        }
        for (token, body) in held { loop.reply(token, body: body) }
        continuation.resume()
      }
      precondition(isTaken, "the server has ended")
    }
  }
}

/// A client's loop without its thread: the test does what the thread would do.
private struct ThreadlessClient: ~Copyable {
  private let inbox = ClientInbox()
  private let clock = ConnectionClock()
  private let server: HoldingServer
  private var loop: ClientLoop
  private var callCount: UInt64 = 0
  /// Of the calls that are made and not finished.
  private var answers: [PendingAnswer] = []

  /// A client that is connected and waits for nothing.
  static func connected(to server: HoldingServer) async throws -> ThreadlessClient {
    var client = try ThreadlessClient(server)
    // It is not connected yet.
    #expect(client.start().wakesThread)
    try await client.finish([1])
    // Until it has nothing more to wake for, not even the connection.
    client.run { $0 == nil }
    return client
  }

  private init(_ server: HoldingServer) throws {
    self.server = server
    var configuration = ConnectionConfiguration(endpoint: server.server.endpoint)
    configuration.connectTimeout = .seconds(3)
    loop = try ClientLoop(configuration, clock, context: Context(), inbox: inbox)
  }

  /// Makes a call as a caller does who finds the loop idle; its body is its number.
  ///
  /// - Returns: Whether the thread has to be woken.
  mutating func start(deadlineIn time: Duration? = nil) -> (wakesThread: Bool, number: UInt8) {
    let answer = PendingAnswer()
    answers.append(answer)
    callCount += 1
    let call = OutgoingCall(
      callCount,
      InteropService.empty.fullName,
      [UInt8(callCount)],
      RequestContext(Metadata()),
      isSafe: true,
      deadline: time.map { clock.now + $0 },
      patience: .seconds(3),
      .unary(answer)
    )
    server.hold()
    #expect(inbox.add(.start(call)))
    return (!loop.sendIfIdle(), UInt8(callCount))
  }

  /// Lets the server answer, and does what the thread does until no call waits.
  mutating func finish(_ numbers: [UInt8]) async throws {
    await server.release()
    run { _ in true }
    for (answer, number) in zip(answers, numbers) {
      #expect(try await answer.value().get() == [number])
    }
    #expect(answers.count == numbers.count)
    answers = []
  }

  /// Runs the loop until no call waits and it may end, seeing when it would wake by itself.
  private mutating func run(until mayEnd: (ContinuousClock.Instant?) -> Bool) {
    let end = ContinuousClock.now + .seconds(300)
    while .now < end {
      switch loop.turn(hasEvents: true) {
      case .again: continue
      case .wait(let wakesAt, let descriptors):
        if loop.isIdle, mayEnd(wakesAt) { return }
        var polled = descriptors.indices.map { index in
          pollfd(fd: descriptors[index], events: Int16(POLLIN), revents: 0)
        }
        let left = max(.zero, ContinuousClock.now.duration(to: min(wakesAt ?? end, end)))
        poll(&polled, nfds_t(polled.count), CInt(left / .milliseconds(1)) + 1)
      case .end:
        Issue.record("the loop ended")
        return
      }
    }
    Issue.record("waited 300 s for the last call to be answered")
  }
}

@Suite("the client's loop") struct ClientLoopTests {
  @Test("a call without a deadline is sent by its caller, and does not wake the thread")
  func noDeadline() async throws {
    let server = try await HoldingServer.start()
    var client = try await ThreadlessClient.connected(to: server)
    for _ in 0..<3 {
      let call = client.start()
      #expect(!call.wakesThread)
      try await client.finish([call.number])
    }
    await server.server.stop()
  }

  @Test("a deadline wakes the thread unless it wakes before it by itself")
  func deadlines() async throws {
    let server = try await HoldingServer.start()
    var client = try await ThreadlessClient.connected(to: server)
    let calls: [(deadline: Duration?, wakesThread: Bool)] = [
      (.seconds(2_000), true), (.seconds(1_000), true), (.seconds(1_500), false), (nil, false),
    ]
    for (deadline, wakesThread) in calls {
      let call = client.start(deadlineIn: deadline)
      #expect(call.wakesThread == wakesThread, "\(String(describing: deadline))")
      try await client.finish([call.number])
    }
    await server.server.stop()
  }

  @Test("a call while another waits for its answer is left to the thread")
  func busy() async throws {
    let server = try await HoldingServer.start()
    var client = try await ThreadlessClient.connected(to: server)
    let (first, second) = (client.start(), client.start())
    #expect(!first.wakesThread && second.wakesThread)
    try await client.finish([first.number, second.number])
    await server.server.stop()
  }
}
