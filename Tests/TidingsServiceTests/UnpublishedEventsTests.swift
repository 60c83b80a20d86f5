import Testing
import TidingsModel
import TidingsRPC
import TidingsTracing

@testable import TidingsEngine
@testable import TidingsService

@Suite struct UnpublishedEventsTests {
  private func events(_ sequences: ClosedRange<Int64>, topic: UInt8 = 1) -> [StoredEvent] {
    sequences.map {
      StoredEvent(
        channel: 1,
        topic: [topic],
        sequence: $0,
        originTag: 0,
        committed: Timestamp(millisecondsSince1970: 0),
        body: []
      )
    }
  }

  @Test("events are taken in their order, each once")
  func order() {
    var waiting = UnpublishedEvents()
    waiting.append(events(1...3))
    #expect(waiting.take(2).map(\.event.sequence) == [1, 2])
    waiting.append(events(4...5))
    #expect(waiting.count == 3)
    #expect(waiting.take(9).map(\.event.sequence) == [3, 4, 5])
    #expect(waiting.isEmpty && waiting.take(1).isEmpty)
  }

  @Test("events that were taken are not held, although some always wait")
  func memory() {
    var waiting = UnpublishedEvents()
    waiting.append(events(1...700))
    for round in 1...1_000 as ClosedRange<Int64> {
      waiting.append(events((round * 500 + 201)...(round * 500 + 700)))
      #expect(waiting.take(500).first?.event.sequence == round * 500 - 499)
    }
    #expect(waiting.count == 700)
    #expect(waiting.heldCount < 20_000)
  }

  @Test("the bytes of what waits are known")
  func bytes() {
    var waiting = UnpublishedEvents()
    waiting.append(events(1...3) + events(4...5, topic: 2))
    let all = waiting.bytes
    waiting.append(events(6...9), from: 2)
    #expect(waiting.bytes == all / 5 * 7)
    _ = waiting.take(1)
    #expect(waiting.bytes == all / 5 * 6)
    waiting.remove([[2]])
    #expect(waiting.bytes == all / 5 * 4)
    _ = waiting.take(9)
    #expect(waiting.bytes == 0)
  }

  @Test("events keep the span that their push carries")
  func traces() {
    func trace(_ events: Range<Int>, _ span: Int) -> PushTrace {
      let text =
        "00-\(String(repeating: "0", count: 31))1-\(String(repeating: "0", count: 15))\(span)-01"
      return PushTrace(
        events: events,
        span: Span(TraceContext(text)!, parent: nil, "push", .producer, start: 0)
      )
    }
    var waiting = UnpublishedEvents()
    waiting.append(events(1...2))
    waiting.append(events(3...6), traces: [trace(1..<2, 7), trace(2..<9, 8)])
    waiting.append(events(7...9), from: 1, traces: [trace(0..<2, 7), trace(2..<3, 8)])
    #expect(waiting.count == 8)
    let spans = waiting.take(6).map { $0.traceParent.map { $0[51] } }
    let rest = waiting.take(9)
    #expect(rest.map(\.event.sequence) == [8, 9])
    #expect(rest.map { $0.traceParent?[51] } == [UInt8(ascii: "7"), UInt8(ascii: "8")])
    #expect(spans == [nil, nil, nil, UInt8(ascii: "7"), UInt8(ascii: "8"), UInt8(ascii: "8")])
  }

  @Test("events of a retired topic are not published any more")
  func retirement() {
    var waiting = UnpublishedEvents()
    waiting.append(events(1...3) + events(4...5, topic: 2) + events(6...6))
    _ = waiting.take(1)
    waiting.remove([[1], [3]])
    #expect(waiting.take(9).map(\.event.sequence) == [4, 5])
  }
}
