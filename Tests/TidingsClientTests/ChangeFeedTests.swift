internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

@testable internal import TidingsClient

@Suite struct ChangeFeedTests {
  @Test("pages follow each other to the end; the first is handed out even if it is empty")
  func toTheEnd() {
    let state = State(token: [], follows: false)
    #expect(state.nextAction == .fetch(wait: .zero))
    #expect(state.fetched(token: [1], moreComing: true, isEmpty: true))
    #expect(state.nextAction == .fetch(wait: .zero) && state.token == [1])
    #expect(state.fetched(token: [1], moreComing: false, isEmpty: true))
    #expect(state.nextAction == .end)
  }

  @Test("a followed feed waits after the newest change, and yields no empty pages")
  func following() {
    let state = State(token: [9], follows: true)
    #expect(!state.fetched(token: [9], moreComing: false, isEmpty: true))
    #expect(state.nextAction == .fetch(wait: ChangeFeedState.followWait))
    #expect(state.fetched(token: [10], moreComing: true, isEmpty: false))
    #expect(state.nextAction == .fetch(wait: .zero))
    // Nothing matched, and yet the consumer keeps where to go on.
    #expect(state.fetched(token: [11], moreComing: false, isEmpty: true))
    #expect(!state.fetched(token: [11], moreComing: false, isEmpty: true))
  }

  @Test("a server that does not wait is not asked again at once")
  func pauses() async throws {
    let pauses = Mutex<[Duration]>([])
    var reader = ChangeFeedReader<TidingsV1.ZoneChanges>(
      after: [9],
      follows: true,
      pause: { pause in pauses.withLock { $0.append(pause) } },
      { _, _ in
        // The first call does not wait; then three have no changes at once.
        let hasChanges = pauses.withLock { $0.count } == 3
        return TidingsV1.ZoneChanges(changeToken: hasChanges ? [10] : [9])
      }
    )
    let page = try await reader.next()
    #expect(page?.changeToken == [10])
    #expect(pauses.withLock { $0.count } == 3)
  }

  @Test("failures are reported by what to do about them")
  func errors() {
    func error(_ code: TidingsV1.ErrorCode) -> ChangeFeedError {
      ChangeFeedError(
        RPCError(
          .outOfRange,
          "text",
          details: [
            .init(
              typeURL: "type.googleapis.com/tidings.v1.ItemError",
              value: TidingsV1.ItemError(code: code, message: "why").encoded()
            )
          ]
        )
      )
    }
    #expect(error(.changeTokenExpired) == .changeTokenExpired("why"))
    #expect(error(.zoneNotFound) == .zoneNotFound("why"))
    #expect(error(.userDeletedZone) == .userDeletedZone("why"))
    #expect(error(.invalidArguments) == .refused(.init(code: .invalidArguments, message: "why")))
    #expect(!error(.changeTokenExpired).isWorthRepeating)
    let unavailable = ChangeFeedError(RPCError(.unavailable, "later"))
    #expect(unavailable == .call(RPCError(.unavailable, "later")) && unavailable.isWorthRepeating)
  }
}

/// The state as a reference, which expectations can change.
private final class State {
  private var state: ChangeFeedState

  init(token: [UInt8], follows: Bool) { state = ChangeFeedState(token: token, follows: follows) }

  var token: [UInt8] { state.token }
  var nextAction: ChangeFeedState.Action { state.nextAction }
  func fetched(token: [UInt8], moreComing: Bool, isEmpty: Bool) -> Bool {
    state.fetched(token: token, moreComing: moreComing, isEmpty: isEmpty)
  }
}
