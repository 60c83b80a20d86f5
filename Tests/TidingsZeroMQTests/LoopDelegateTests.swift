import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

/// Keeps the calls of a turn and answers them at its end, as a committer does.
private final class Keeper: LoopDelegate {
  private var kept: [(token: ReplyToken, body: [UInt8])] = []
  private(set) var nextTimer: ContinuousClock.Instant?
  private let probe: Probe

  init(_ probe: Probe) { self.probe = probe }

  func keep(_ call: borrowing InlineCall) {
    kept.append((call.token, Array(call.body)))
  }

  func turnEnded(_ loop: LoopContext) {
    for (token, body) in kept {
      if body.isEmpty {
        loop.fail(token, RPCError(.aborted, "nothing to keep"))
      } else {
        loop.reply(token, byteCount: body.count) { $0.copyBytes(from: body) }
      }
    }
    if !kept.isEmpty { nextTimer = loop.now }
    kept = []
  }

  func timerFired(_ loop: LoopContext) {
    nextTimer = nil
    probe.note { $0.executed += 1 }
  }

  func stopping(_ loop: LoopContext) { probe.note { $0.consumed += 1 } }
}

@Suite("LoopDelegate") struct LoopDelegateTests {
  @Test("kept calls are answered at the turn's end; timers fire; the end is reported")
  func keeps() async throws {
    let probe = Probe()
    let server = try await TestServer.start(
      probe: probe,
      setup: { loop in
        let keeper = Keeper(probe)
        loop.delegate = keeper
        loop.registerInline(InteropService.sized) { call, loop in
          #expect(call.metadata("who").map { String(decoding: $0, as: UTF8.self) } == "me")
          #expect(call.metadata("wh") == nil)
          #expect(call.deadline != nil)
          #expect(call.makeServerCall().metadata == ["who": "me"])
          keeper.keep(call)
        }
      }
    )
    let client = try await server.client { $0.metadata = ["who": "me"] }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...100 as ClosedRange<UInt32> {
        group.addTask {
          let body = InteropService.numbers([number])
          return try await client.unary(InteropService.sized, body, options: CallOptions()) == body
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    let error = await failure {
      _ = try await client.unary(InteropService.sized, [], options: CallOptions())
    }
    #expect(error == RPCError(.aborted, "nothing to keep"))
    await probe.wait { $0.executed > 0 }
    await client.close()
    await server.stop()
    #expect(probe.sightings.consumed == 1)
  }
}
