internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

@testable internal import TidingsClient

/// Pages that are asked for before they are wanted, of a zone whose page number is its token.
@Suite struct ZonePagesTests {
  @Test("reading ahead makes the next call before a page is returned, and none after the last")
  func ahead() async throws {
    let zone = ScriptedZone(pageCount: 3)
    let pages = zone.pages(readsAhead: true)
    #expect(try await pages.page(after: [], wait: .zero).changeToken == [1])
    #expect(zone.asked == [[], [1]])
    #expect(try await pages.page(after: [1], wait: .zero).changeToken == [2])
    #expect(zone.asked == [[], [1], [2]])
    let last = try await pages.page(after: [2], wait: .zero)
    #expect(last.changeToken == [3] && !last.moreComing)
    #expect(zone.asked == [[], [1], [2]])
  }

  @Test("without reading ahead, a call is made when its page is asked for")
  func onDemand() async throws {
    let zone = ScriptedZone(pageCount: 3)
    let pages = zone.pages(readsAhead: false)
    #expect(try await pages.page(after: [], wait: .zero).moreComing)
    #expect(zone.asked == [[]])
    #expect(try await pages.page(after: [1], wait: .zero).moreComing)
    #expect(zone.asked == [[], [1]])
  }

  @Test("both return the same pages, in order, to the end", arguments: [false, true])
  func iteration(readsAhead: Bool) async throws {
    let zone = ScriptedZone(pageCount: 5)
    var tokens: [[UInt8]] = []
    let changes = RecordZoneChanges(zone, database: .init(), .init(), readsAhead: readsAhead)
    for try await page in changes { tokens.append(page.changeToken) }
    #expect(tokens == [[1], [2], [3], [4], [5]])
    #expect(zone.asked == [[], [1], [2], [3], [4]])
  }

  @Test("a failure ahead is reported when its page is asked for; then the page is asked for again")
  func failure() async throws {
    let zone = ScriptedZone(pageCount: 3, failing: [1])
    let pages = zone.pages(readsAhead: true)
    _ = try await pages.page(after: [], wait: .zero)
    await #expect(throws: ChangeFeedError.call(ScriptedZone.failure)) {
      try await pages.page(after: [1], wait: .zero)
    }
    #expect(try await pages.page(after: [1], wait: .zero).changeToken == [2])
    #expect(zone.asked == [[], [1], [1], [2]])
  }

  @Test("an iteration that ends early cancels the call that is ahead")
  func abandoned() async throws {
    let zone = ScriptedZone(pageCount: 3, hanging: [1])
    do {
      let pages = zone.pages(readsAhead: true)
      _ = try await pages.page(after: [], wait: .zero)
    }
    try await zone.cancelled.wait("the call is cancelled") { $0 == [[1]] }
  }

  @Test("a task that is cancelled while it waits for the call ahead cancels that")
  func cancelled() async throws {
    let zone = ScriptedZone(pageCount: 3, hanging: [1])
    let pages = zone.pages(readsAhead: true)
    _ = try await pages.page(after: [], wait: .zero)
    let reader = Task { try await pages.page(after: [1], wait: .zero) }
    reader.cancel()
    await #expect(throws: ChangeFeedError.self) { try await reader.value }
    try await zone.cancelled.wait("the call is cancelled") { $0 == [[1]] }
  }

  @Test("the end of a page is read as its decoder reads it, also behind fields of newer servers")
  func ends() throws {
    for (token, more) in [([], false), ([7], true), ([1, 2, 3], false)] as [([UInt8], Bool)] {
      let page = TidingsV1.ZoneChanges(
        changedRecords: [.init(recordType: "Note")],
        changeToken: token,
        moreComing: more
      )
      let response = TidingsV1.FetchRecordZoneChangesResponse(zones: [page]).encoded()
      // Field 99, a number.
      let end = try #require(ZonePageEnd(response + [0x98, 0x06, 0x01]))
      #expect(end.changeToken == token && end.moreComing == more)
    }
    let failed = TidingsV1.ZoneChanges(error: .init(code: .zoneNotFound))
    #expect(ZonePageEnd(TidingsV1.FetchRecordZoneChangesResponse(zones: [failed]).encoded()) == nil)
    #expect(ZonePageEnd([]) == nil && ZonePageEnd([0x0a, 0x7f]) == nil)
  }
}

/// A server with one zone.
private final class ScriptedZone: ClientTransport {
  static let failure = RPCError(.unavailable, "scripted")

  let cancelled = Observed<[[UInt8]]>([])
  private let pageCount: UInt8
  private let hanging: [UInt8]
  private let failing: Mutex<[UInt8]>
  private let requests = Mutex<[[UInt8]]>([])

  init(pageCount: UInt8, failing: [UInt8] = [], hanging: [UInt8] = []) {
    self.pageCount = pageCount
    self.hanging = hanging
    self.failing = Mutex(failing)
  }

  /// The tokens after which pages were asked for.
  var asked: [[UInt8]] { requests.withLock { $0 } }

  func pages(readsAhead: Bool) -> ZonePages {
    ZonePages(
      ZonePageRequest(
        transport: self,
        database: .init(),
        options: .init(),
        timeout: nil,
        limits: PageLimits(),
        lateMax: 1
      ),
      readsAhead: readsAhead
    )
  }

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    let token =
      (try? TidingsV1.FetchRecordZoneChangesRequest(decoding: request))?.zones.first?
      .changeToken ?? []
    requests.withLock { $0.append(token) }
    if token == failing.withLock({ $0 }) {
      failing.withLock { $0 = [] }
      if !token.isEmpty { throw Self.failure }
    }
    if !hanging.isEmpty, token == hanging {
      do {
        // It never ends by itself: the call is cancelled.
        try await Task.sleep(for: .seconds(3_600))
      } catch {
        cancelled.update { $0.append(token) }
      }
      throw RPCError(.cancelled, "the call was cancelled")
    }
    let next = (token.first ?? 0) + 1
    let page = TidingsV1.ZoneChanges(
      changedRecords: [.init(recordType: "Note")],
      changeToken: [next],
      moreComing: next < pageCount
    )
    return TidingsV1.FetchRecordZoneChangesResponse(zones: [page]).encoded()
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    .failed(RPCError(.unimplemented, "no streams"))
  }
}
