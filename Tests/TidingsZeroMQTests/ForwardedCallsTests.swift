internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsRPC

@testable internal import TidingsZeroMQ

@Suite struct ForwardedCallsTests {
  private func token(_ connection: UInt64, _ callID: UInt64) -> ReplyToken {
    let number = ConnectionNumber(connection)
    let word = number.routingWord << 8 | UInt64(ConnectionNumber.routingIDBytes)
    return ReplyToken(peer: .init(envelope: .short(word), keyNumber: nil), callID: callID)
  }

  @Test("each answer goes to its call once, and to nobody when its connection has ended")
  func model() {
    let seed = Seed.make("ForwardedCallsTests")
    var random = SplitMix64(seed: seed)
    var calls = ForwardedCalls(bytesMax: 256 << 20)
    var model: [UInt64: ReplyToken] = [:]
    var waiting: Set<UInt64> = []
    var last: UInt64 = 0
    for _ in 0..<20_000 {
      switch random.below(10) {
      case 0..<5:
        last += 1
        // Clients may use a name again.
        let token = token(UInt64(1 + random.below(5)), UInt64(random.below(200)))
        let mayWait = random.oneIn(10)
        let isAdded = calls.add(last, token, bytes: random.below(1_000), mayWait: mayWait)
        #expect(isAdded, "seed \(seed)")
        model[last] = token
        if mayWait { waiting.insert(last) }
      case 5..<9:
        let number = UInt64(1 + random.below(Int(last) + 1))
        let isLast = random.oneIn(2)
        let answered = calls.answered(number, isLast: isLast)
        #expect(answered == model[number], "seed \(seed)")
        if isLast { model[number] = nil }
      default:
        guard random.oneIn(20) else { continue }
        guard random.oneIn(2) else {
          let removed = calls.removeWaiting().map(\.number)
          #expect(removed == waiting.filter { model[$0] != nil }.sorted(), "seed \(seed)")
          for number in removed { model[number] = nil }
          waiting = []
          continue
        }
        let ended = ConnectionNumber(UInt64(1 + random.below(5)))
        let expected = model.filter { $0.value.peer.connection == ended }.keys.sorted()
        let removed = calls.remove(of: [ended])
        #expect(removed == expected, "seed \(seed)")
        for number in expected { model[number] = nil }
      }
      #expect(calls.count == model.count, "seed \(seed)")
    }
    for (number, token) in model {
      let key = ForwardedCalls.Key(peer: token.peer, callID: token.callID)
      // Of several with the same name the newest.
      if let found = calls.number(of: key) { #expect(found >= number || model[found] != nil) }
    }
    let rest = calls.removeAll()
    #expect(rest == model.sorted { $0.key < $1.key }.map(\.value), "seed \(seed)")
    #expect(calls.count == 0)
  }

  @Test("one connection cannot take all the room, and what is answered gives its own back")
  func bounds() {
    var calls = ForwardedCalls(bytesMax: 256 << 20)
    var number: UInt64 = 0
    func add(_ connection: UInt64, bytes: Int) -> Bool {
      number += 1
      return calls.add(number, token(connection, number), bytes: bytes, mayWait: false)
    }
    let quarter = 64 << 20
    var results = [add(1, bytes: quarter), add(1, bytes: 1), add(2, bytes: quarter)]
    #expect(results == [true, false, true])
    _ = calls.answered(1, isLast: false)
    results = [add(1, bytes: 1)]
    _ = calls.answered(1, isLast: true)
    results.append(add(1, bytes: 1))
    #expect(results == [false, true])
    results = (0..<ForwardedCalls.countPerConnectionMax).map { _ in add(3, bytes: 0) }
    #expect(!results.contains(false))
    results = [add(3, bytes: 0), add(4, bytes: 0)]
    #expect(results == [false, true])
  }
}
