import CZeroMQ
import Glibc
import RPCTestSupport
import Synchronization
import TestSupport
import Testing
import TidingsInterop
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import TidingsZeroMQ

/// Notes in which order calls are handled, and how many in a turn.
private final class Recorder: LoopDelegate {
  private let journal: Journal
  private let callDuration: Duration
  private var tokens: [ReplyToken] = []

  init(_ journal: Journal, callDuration: Duration) {
    self.journal = journal
    self.callDuration = callDuration
  }

  func take(_ call: borrowing InlineCall) {
    let user = call.metadata(Metadata.userKey).map { String(decoding: $0, as: UTF8.self) } ?? ""
    journal.handled.withLock { $0.append("\(user)\(call.token.callID)") }
    tokens.append(call.token)
    let end = ContinuousClock.now.advanced(by: callDuration)
    // A call takes so long.
    while callDuration > .zero, .now < end { usleep(1_000) }
  }

  func turnEnded(_ loop: LoopContext) {
    let count = tokens.count
    if count > 0 { journal.turns.withLock { $0.append(count) } }
    for token in tokens { loop.reply(token, body: []) }
    tokens = []
  }
}

private final class Journal: Sendable {
  let handled = Mutex<[String]>([])
  let turns = Mutex<[Int]>([])
}

@Suite("turns of callers") struct TurnTests {
  private func header(
    _ user: String,
    _ id: Int,
    _ method: MethodDescriptor = InteropService.sized
  ) -> TidingsRpcV1.RequestHeader {
    .init(
      callID: UInt64(id),
      method: method.fullName,
      metadata: [Metadata.userKey: user]
    )
  }

  private func server(
    _ journal: Journal,
    callDuration: Duration = .zero,
    configure: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws -> TestServer {
    try await TestServer.start(configure: configure) { loop in
      let recorder = Recorder(journal, callDuration: callDuration)
      loop.delegate = recorder
      loop.registerInline(InteropService.sized) { call, _ in recorder.take(call) }
    }
  }

  /// Keeps the loop from handling anything until so many requests wait.
  private func collect(_ count: Int, on server: TestServer) async {
    await withCheckedContinuation { begun in
      let isTaken = server.server.submit { loop in
        begun.resume()
        Self.collect(count, loop)
      }
      precondition(isTaken)
    }
  }

  private static func collect(_ count: Int, _ loop: LoopContext) {
    loop.isBehind = true
    do {
      try blockUntil("\(count) requests to wait") {
        while loop.waiting.count < count,
          (try? loop.frames.receive(from: loop.router)) == true
        {
          loop.handleMessage(.arriving)
          loop.frames.clear()
          loop.arena.reset()
        }
        return loop.waiting.count >= count
      }
    } catch {
      Issue.record(error)
    }
  }

  @Test(
    "one call of a quiet caller does not wait for the many of another, on however many connections"
  )
  func quietCaller() async throws {
    let journal = Journal()
    let server = try await server(journal)
    let flood = (0..<4).map { _ in RawSocket(ZMQ_DEALER, connectedTo: server.endpoint) }
    let quiet = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    await collect(403, on: server)
    for id in 1...100 { for socket in flood { socket.call(header("a", id)) } }
    for id in 1...3 { quiet.call(header("b", id)) }
    for _ in 1...3 { #expect(try await quiet.response().header.status == 0) }
    for socket in flood {
      for id in 1...100 { #expect(try await socket.response().header.callID == UInt64(id)) }
    }
    let handled = journal.handled.withLock(\.self)
    #expect(handled.count == 403)
    let positions = ["b1", "b2", "b3"].map { handled.firstIndex(of: $0) ?? -1 }
    #expect(positions == [1, 3, 5] || positions == [0, 2, 4], "\(positions)")
    await server.stop()
  }

  @Test("a turn ends when its deadline passed, so that answers and commits are never far")
  func budget() async throws {
    let journal = Journal()
    // A turn never handles for longer than one of these calls takes, on whatever machine.
    let server = try await server(journal, callDuration: LoopContext.handlingMax)
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    await collect(8, on: server)
    for id in 1...8 { dealer.call(header("a", id)) }
    for id in 1...8 { #expect(try await dealer.response().header.callID == UInt64(id)) }
    #expect(journal.turns.withLock(\.self) == [1, 1, 1, 1, 1, 1, 1, 1])
    await server.stop()
  }

  @Test(
    "while nobody waits, the clock is looked at after so many calls or so many bytes of them",
    arguments: [(0, LoopContext.messagesPerLook), (LoopContext.bytesPerLook, 1)]
  )
  func budgetOfArrivals(bodyBytes: Int, countMax: Int) async throws {
    let journal = Journal()
    let server = try await server(journal, callDuration: LoopContext.handlingMax)
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    let body = [UInt8](repeating: 0, count: bodyBytes)
    for id in 1...20 { dealer.call(header("a", id), body) }
    for id in 1...20 { #expect(try await dealer.response().header.callID == UInt64(id)) }
    let turns = journal.turns.withLock(\.self)
    #expect(turns.reduce(0, +) == 20 && turns.allSatisfy { $0 <= countMax }, "\(turns)")
    await server.stop()
  }

  @Test("more than a caller may have waiting is refused; another caller's call is not")
  func waitingMax() async throws {
    let journal = Journal()
    let server = try await server(journal) { $0.requestsWaitingPerCallerMax = 5 }
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    await collect(6, on: server)
    for id in 1...8 { dealer.call(header("a", id)) }
    dealer.call(header("b", 9))
    var statuses: [UInt64: UInt32] = [:]
    for _ in 1...9 {
      let answer = try await dealer.response().header
      statuses[answer.callID] = answer.status
    }
    let exhausted = StatusCode.resourceExhausted.rawValue
    for id in 1...9 as ClosedRange<UInt64> {
      #expect(statuses[id] == ((6...8).contains(id) ? exhausted : 0), "\(id)")
    }
    await server.stop()
  }

  @Test("a cancellation follows the call that it is about, and finds it")
  func cancellation() async throws {
    let server = try await server(Journal())
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    await collect(3, on: server)
    dealer.call(header("a", 1, InteropService.hang))
    dealer.call(header("a", 2))
    dealer.call(.init(callID: 1, kind: .cancel))
    var statuses: [UInt64: UInt32] = [:]
    for _ in 1...2 {
      let answer = try await dealer.response().header
      statuses[answer.callID] = answer.status
    }
    #expect(statuses == [1: StatusCode.cancelled.rawValue, 2: 0])
    await server.stop()
  }

  @Test("a call that is cancelled while it waits for its turn is not begun")
  func cancellationOfWaiting() async throws {
    let journal = Journal()
    let server = try await server(journal)
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    await collect(5, on: server)
    for id in 1...3 { dealer.call(header("a", id)) }
    for id in [2, 9] as [UInt64] { dealer.call(.init(callID: id, kind: .cancel)) }
    var statuses: [UInt64: UInt32] = [:]
    for _ in 1...3 {
      let answer = try await dealer.response().header
      statuses[answer.callID] = answer.status
    }
    #expect(statuses == [1: 0, 2: StatusCode.cancelled.rawValue, 3: 0])
    #expect(journal.handled.withLock(\.self) == ["a1", "a3"])
    // The names may be used again.
    dealer.call(header("a", 2))
    #expect(try await dealer.response().header.status == 0)
    await server.stop()
  }

  @Test("tasks of one caller leave room for another's")
  func tasks() async throws {
    let server = try await TestServer.start { $0.callsPerCallerInFlightMax = 2 }
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    for id in 1...3 { dealer.call(header("a", id, InteropService.hang)) }
    let refusal = try await dealer.response().header
    #expect(refusal.callID == 3 && refusal.status == StatusCode.resourceExhausted.rawValue)
    dealer.call(header("b", 4, InteropService.hang))
    await server.probe.wait { $0.started == 3 }
    await server.stop()
  }
}
