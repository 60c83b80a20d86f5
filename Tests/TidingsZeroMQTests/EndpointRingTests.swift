import Testing
import TidingsRPC

@testable import TidingsZeroMQ

@Suite struct EndpointRingTests {
  private let start = ContinuousClock.now
  private let closed = ConnectionFailure.connectionRefused

  private func ring(_ endpoints: String..., patience: Duration = .seconds(20)) -> EndpointRing {
    EndpointRing(endpoints, connectTimeout: patience, now: start)
  }

  private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// Lets the attempt fail, and expects the next one so much later.
  private func fail(
    _ ring: inout EndpointRing,
    at now: ContinuousClock.Instant,
    pause: Int
  ) -> ContinuousClock.Instant {
    ring.failed(closed, now)
    let next = now.advanced(by: .milliseconds(pause))
    #expect(ring.due == next)
    if pause > 0 { #expect(ring.isDue(next.advanced(by: .milliseconds(-1))) == false) }
    #expect(ring.isDue(next) && !ring.isDue(next))
    return next
  }

  @Test("one endpoint: whatever failed is tried again after a growing pause")
  func single() {
    var ring = ring("a")
    #expect(!ring.hasSeveral && ring.due == after(10_000))
    var now = start
    for pause in [50, 100, 200, 400, 800, 1000] {
      now = fail(&ring, at: now, pause: pause)
      #expect(ring.current == "a")
    }
    ring.failed(.handshakeClosed, now)
    ring.disconnected(now)
    #expect(ring.due == now.advanced(by: .milliseconds(1000)))
    ring.connected()
    #expect(ring.due == nil)
    ring.disconnected(after(60_000))
    #expect(ring.isDue(after(60_000)) == true)
    ring.disconnected(after(60_000))
    #expect(ring.due == after(60_050))
  }

  @Test("a name has two routes, of which the one that was good comes first")
  func routes() {
    var list = ring("tcp://house:1", "tcp://[::1]:2", "tcp://127.0.0.1:3")
    #expect(list.route == Route(endpoint: "tcp://house:1", usesIPv6: false, hasName: true))
    list.failed(.unresolved, start)
    #expect(list.isDue(start) && list.route.usesIPv6 && list.current == "tcp://house:1")
    _ = fail(&list, at: start, pause: 0)
    #expect(list.route == Route(endpoint: "tcp://[::1]:2", usesIPv6: true, hasName: false))
    _ = fail(&list, at: start, pause: 0)
    #expect(list.route == Route(endpoint: "tcp://127.0.0.1:3", usesIPv6: false, hasName: false))
    #expect(list.error.message.contains("tcp://house:1: connection refused; tcp://[::1]:2: "))

    var name = ring("tcp://house:1")
    name.failed(.unresolved, start)
    #expect(name.isDue(start) && name.route.usesIPv6)
    name.connected()
    name.disconnected(after(60_000))
    #expect(name.isDue(after(60_000)) && name.route.usesIPv6)
    name.failed(.noRoute, after(60_000))
    #expect(name.isDue(after(60_000)) && !name.route.usesIPv6)
    #expect(name.error.message.contains("no route"))
  }

  @Test("where there is one endpoint, a handshake gets the time of a slow network")
  func slowHandshake() {
    var name = ring("tcp://house:1")
    #expect(name.due == after(1500))
    name.connecting()
    name.accepted()
    #expect(name.due == after(10_000) && !name.isDue(after(9_999)) && name.isDue(after(10_000)))
    #expect(name.route.usesIPv6 && name.error.message.contains("has not finished the handshake"))
    var list = ring("a", "b")
    list.accepted()
    #expect(list.due == after(1500))
  }

  @Test("each reason is a sentence of its own, and what is waited for is one")
  func sentences() {
    let all = (0...ConnectionFailure.draining.rawValue).compactMap(
      ConnectionFailure.init(rawValue:)
    )
    let sentences = all.flatMap { failure in
      [false, true].map { failure.error(at: "tcp://a:1", hasKeys: $0).message }
    }
    // Two of them depend on whether there are keys.
    #expect(Set(sentences).count == all.count + 2)
    #expect(sentences.allSatisfy { $0.contains("tcp://a:1") })
    var ring = ring("tcp://house:1")
    #expect(ring.error.message.contains("name server"))
    ring.connecting()
    #expect(ring.error.message.contains("no answer: its host is off"))
    ring.accepted()
    #expect(ring.error.message.contains("has not finished the handshake"))
    ring.failed(.protocolMismatch, start)
    ring.failed(.handshakeClosed, start)
    #expect(ring.error.message.contains("requires authentication"))
    // The next attempt ends before anybody has read why.
    ring.disconnected(start)
    let again = ring.due ?? start
    let isTriedAgain = ring.isDue(again)
    #expect(isTriedAgain)
    ring.disconnected(again)
    #expect(ring.error.message.contains("requires authentication"))
  }

  @Test("each endpoint is tried at once, then around the ring with growing pauses")
  func around() {
    var ring = ring("a", "b", "c")
    var now = fail(&ring, at: start, pause: 0)
    #expect(ring.current == "b")
    now = fail(&ring, at: now, pause: 0)
    #expect(ring.current == "c")
    for (pause, next) in [(50, "a"), (100, "b"), (200, "c"), (400, "a"), (800, "b"), (1000, "c")] {
      now = fail(&ring, at: now, pause: pause)
      #expect(ring.current == next)
    }
  }

  @Test("an endpoint that connects is kept until it is lost; then it is tried last")
  func kept() {
    var ring = ring("a", "b", "c")
    var now = fail(&ring, at: start, pause: 0)
    ring.connected()
    #expect(ring.due == nil && ring.current == "b")
    ring.answered()
    #expect(ring.isProven)
    ring.disconnected(after(60_000))
    #expect(ring.isDue(after(60_000)) && ring.current == "c" && !ring.isProven)
    now = fail(&ring, at: after(60_000), pause: 0)
    #expect(ring.current == "a")
    now = fail(&ring, at: now, pause: 50)
    #expect(ring.current == "b")
  }

  @Test("a handshake that fails counts when the connection has ended")
  func handshake() {
    var ring = ring("a", "b")
    ring.failed(.protocolMismatch, start)
    #expect(ring.due == after(1500))
    ring.disconnected(after(10))
    #expect(ring.isDue(after(10)) && ring.current == "b")
    #expect(
      ring.error.message
        == "cannot reach any of the endpoints: a: requires authentication; b: no answer yet"
    )
  }

  @Test("what does not answer is given up after 1.5 s, and has longer when none did")
  func silence() {
    var ring = ring("a", "b")
    #expect(ring.due == after(1500) && !ring.isDue(after(1499)))
    #expect(ring.isDue(after(1500)) && ring.current == "b" && ring.due == after(3000))
    #expect(!ring.isDue(after(3000)) && ring.due == after(3050))
    #expect(ring.isDue(after(3050)) && ring.current == "a" && ring.due == after(13_050))
    // While a pause lasts, or later, it may connect all the same.
    ring.connected()
    #expect(ring.due == nil && ring.current == "a")
  }

  @Test("the endpoints of a list share the time that calls wait")
  func share() {
    #expect(ring("a", "b", patience: .seconds(1)).due == after(500))
    #expect(ring("a", "b", "c", patience: .seconds(3)).due == after(1000))
    #expect(ring("a", "b", patience: .milliseconds(20)).due == after(100))
  }

  @Test("a server that drains is left at once; where all drain, the pauses grow")
  func draining() {
    var ring = ring("a", "b")
    ring.connected()
    ring.answered()
    ring.drained(after(1000))
    #expect(ring.isDue(after(1000)) && ring.current == "b")
    ring.connected()
    ring.drained(after(1000))
    #expect(ring.due == after(1050) && ring.isDue(after(1050)) && ring.current == "a")
    ring.connected()
    ring.drained(after(1100))
    #expect(ring.due == after(1200) && ring.isDue(after(1200)) && ring.current == "b")
    ring.connected()
    ring.answered()
    ring.drained(after(2000))
    #expect(ring.isDue(after(2000)) && ring.current == "a")
  }

  @Test("the connection to a server that drains may end before there is another")
  func drainedAndLost() {
    var ring = ring("a", "b")
    ring.connected()
    ring.answered()
    ring.drained(start)
    ring.disconnected(start)
    #expect(ring.isDue(start) && ring.current == "b" && !ring.isDue(start))
    #expect(ring.error.message.contains("a: takes no calls for now (it is draining)"))
  }

  @Test("the error names what was tried, with the newest reason of each")
  func errors() {
    var ring = ring("a", "b", "c")
    #expect(ring.error.message == "cannot reach any of the endpoints: a: no answer yet")
    _ = fail(&ring, at: start, pause: 0)
    #expect(ring.isDue(after(1500)) == true)
    #expect(
      ring.error.message
        == "cannot reach any of the endpoints: a: connection refused; b: no answer; c: no answer yet"
    )
    #expect(ring.error.code == .unavailable)
    let now = fail(&ring, at: after(1500), pause: 50)
    ring.connected()
    ring.answered()
    ring.disconnected(now)
    #expect(
      ring.error.message == "cannot reach any of the endpoints: a: the connection was lost"
    )
  }

  @Test("a key that no endpoint admits: UNAUTHENTICATED")
  func refusedEverywhere() {
    var ring = ring("a", "b")
    ring.failed(.keyRefused, start)
    #expect(!ring.isRefusedEverywhere && ring.error.code == .unavailable)
    ring.disconnected(start)
    #expect(ring.isDue(start) == true)
    ring.failed(.keyRefused, start)
    #expect(ring.isRefusedEverywhere && ring.error.code == .unauthenticated)
  }
}
