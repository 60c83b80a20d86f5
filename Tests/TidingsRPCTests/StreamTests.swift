import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC

@Suite("streams") struct StreamTests {
  @Test("credit is given back half a window at a time; leaving early cancels once")
  func credits() async throws {
    let probe = Probe()
    let (stream, continuation) = ResponseStream.makeStream(
      window: 4,
      patience: .seconds(3_600),
      onCredit: { count in probe.note { $0.consumed += count } },
      onCancel: { probe.note { $0.cancelled += 1 } }
    )
    for number in 0..<4 as Range<UInt8> { #expect(continuation.yield([number])) }
    var seen: [UInt8] = []
    for try await message in stream {
      seen += message
      #expect(probe.sightings.consumed == seen.count / 2 * 2)
      if seen.count == 3 { break }
    }
    #expect(seen == [0, 1, 2])
    #expect(probe.sightings.cancelled == 1)
    continuation.finish()
    #expect(probe.sightings.cancelled == 1)
  }

  @Test("a consumer that is slow gives each message back")
  func slowConsumer() async throws {
    let probe = Probe()
    let (stream, continuation) = ResponseStream.makeStream(
      window: 16,
      patience: .zero,
      onCredit: { count in probe.note { $0.consumed += count } },
      onCancel: {}
    )
    for number in 0..<3 as Range<UInt8> { #expect(continuation.yield([number])) }
    var iterator = stream.makeAsyncIterator()
    for count in 1...3 {
      #expect(try await iterator.next() != nil)
      #expect(probe.sightings.consumed == count)
    }
  }

  @Test("a stream that is dropped is cancelled, one that ended is not")
  func dropped() async throws {
    let probe = Probe()
    do {
      _ = ResponseStream.makeStream(
        onCredit: { _ in },
        onCancel: { probe.note { $0.cancelled += 1 } }
      )
    }
    #expect(probe.sightings.cancelled == 1)
    do {
      let (stream, continuation) = ResponseStream.makeStream(
        onCredit: { _ in },
        onCancel: { probe.note { $0.cancelled += 1 } }
      )
      continuation.finish(RPCError(.aborted, "end"))
      let error = await failure { for try await _ in stream {} }
      #expect(error?.code == .aborted)
    }
    #expect(probe.sightings.cancelled == 1)
  }

  @Test("a reader that sees that it is cancelled before the stream does gets what it asked for")
  func cancelled() async {
    let buffer = DeliveryBuffer<Int>(countMax: 1)
    let reader = Task {
      while !Task.isCancelled { await Task.yield() }
      return await buffer.next(whenCancelled: .failure(RPCError(.cancelled, "as asked")))
    }
    reader.cancel()
    let delivery = await reader.value
    #expect(throws: RPCError(.cancelled, "as asked")) { try delivery.get() }
  }

  @Test("a full buffer refuses, or sums up what is lost")
  func overflow() async {
    let buffer = DeliveryBuffer<Int>(countMax: 2)
    #expect(buffer.push(1) && buffer.push(2) && !buffer.push(3))
    for number in 3...5 { buffer.push(number) { ($0 ?? 0) - 1 } }
    for expected in [1, 2, -3] {
      guard case .success(expected?) = await buffer.next() else {
        return #expect(Bool(false), "not \(expected)")
      }
    }
    buffer.push(6) { _ in 0 }
    guard case .success(6?) = await buffer.next() else { return #expect(Bool(false), "not 6") }
    buffer.finish(nil)
    guard case .success(nil) = await buffer.next() else { return #expect(Bool(false), "no end") }
  }

  @Test("writers pass as credit allows, in order, and learn why the gate is closed")
  func gate() async throws {
    let gate = StreamGate(requested: 1)
    try await gate.pass()
    let probe = Probe()
    let writer = Task {
      for _ in 0..<3 {
        try await gate.pass()
        probe.note { $0.written += 1 }
      }
    }
    gate.grant(2)
    await probe.wait { $0.written == 2 }
    let reason = RPCError(.deadlineExceeded, "over")
    gate.close(reason)
    gate.close(RPCError(.aborted, "later"))
    #expect(await failure { try await writer.value } == reason)
    #expect(await failure { try await gate.pass() } == reason)
    let cancelled = Task { try await StreamGate(requested: 1).pass(times: 2) }
    cancelled.cancel()
    #expect(await failure { try await cancelled.value }?.code == .cancelled)
  }

  @Test("credit is bounded; 0 means the default")
  func window() {
    var window = CreditWindow(requested: 0)
    #expect(window.open == WireLimits.creditDefault)
    window.grant(.max)
    #expect(window.open == WireLimits.creditMax)
    window = CreditWindow(requested: .max)
    #expect(window.open == WireLimits.creditMax)
    window = CreditWindow(requested: 1)
    #expect(window.take() && !window.take())
  }
}

extension StreamGate {
  fileprivate func pass(times: Int) async throws(RPCError) {
    for _ in 0..<times { try await pass() }
  }
}
