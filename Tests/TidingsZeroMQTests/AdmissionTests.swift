import RandomSupport
import Testing
import TidingsKeys

@testable import TidingsZeroMQ

/// Lets expectations call what mutates.
private final class Held<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

extension Held<RefusalThrottle> {
  func refuse(
    _ address: String,
    waiting: Int,
    now: ContinuousClock.Instant
  ) -> RefusalThrottle.Answer {
    value.refuse(address, waiting: waiting, now: now)
  }
  var addressCount: Int { value.addressCount }
}

extension Held<ConnectionCeiling> {
  func accepted(_ descriptor: Int) -> Bool { value.accepted(descriptor) }
  func saw(lowestFree: Int) -> Bool { value.saw(lowestFree: lowestFree) }
  var ceiling: Int { value.ceiling }
  var isOpen: Bool { value.isOpen }
}

@Suite("RefusalThrottle") struct RefusalThrottleTests {
  private let start = ContinuousClock.now

  @Test("a burst is reported at once, the rest waits, and time gives the burst back")
  func burst() {
    let throttle = Held(RefusalThrottle())
    for _ in 0..<RefusalThrottle.burst {
      #expect(throttle.refuse("10.0.0.1", waiting: 0, now: start) == .now)
    }
    let later = RefusalThrottle.Answer.later(start.advanced(by: RefusalThrottle.delay))
    #expect(throttle.refuse("10.0.0.1", waiting: 0, now: start) == later)
    #expect(throttle.refuse("10.0.0.2", waiting: 0, now: start) == .now)
    let next = start.advanced(by: RefusalThrottle.interval)
    #expect(throttle.refuse("10.0.0.1", waiting: 0, now: next) == .now)
    #expect(throttle.refuse("10.0.0.1", waiting: 0, now: next) != .now)
  }

  @Test("when too many wait, the next are reported nothing")
  func waiting() {
    let throttle = Held(RefusalThrottle())
    for _ in 0..<RefusalThrottle.burst { _ = throttle.refuse("a", waiting: 0, now: start) }
    let full = RefusalThrottle.waitingMax
    #expect(throttle.refuse("a", waiting: full, now: start) == .silence)
    #expect(throttle.refuse("a", waiting: full - 1, now: start) != .silence)
    #expect(throttle.refuse("b", waiting: full, now: start) == .now)
  }

  @Test("addresses of one owner count together")
  func networks() {
    let same = [
      ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
      ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
      ("::ffff:10.0.0.1", "10.0.0.1", true),
      ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
      ("10.0.0.1", "10.0.0.2", false),
      ("", ":0:0:12", false),
    ]
    for (a, b, isSame) in same {
      #expect(
        (RefusalThrottle.network(of: a) == RefusalThrottle.network(of: b)) == isSame,
        "\(a) \(b)"
      )
    }
  }

  @Test("many addresses are remembered up to a bound, and forgotten in time")
  func addresses() {
    let throttle = Held(RefusalThrottle())
    var now = start
    for number in 0..<3 * RefusalThrottle.addressesMax {
      _ = throttle.refuse("\(number)", waiting: 0, now: now)
      #expect(throttle.addressCount <= RefusalThrottle.addressesMax + 1)
    }
    // Those that are new share what one has.
    #expect(throttle.refuse("another", waiting: 0, now: now) != .now)
    now = now.advanced(by: .seconds(20))
    #expect(throttle.refuse("another", waiting: 0, now: now) == .now)
    #expect(throttle.addressCount == 1)
  }

  @Test(
    "no address is answered more often than its bucket allows",
    arguments: [1, 2, 3] as [UInt64]
  )
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let throttle = Held(RefusalThrottle())
    var now = start
    var (tokens, filled) = ([String: Double](), [String: ContinuousClock.Instant]())
    for _ in 0..<5000 {
      now = now.advanced(by: .milliseconds(random.below(400)))
      let address = "10.0.0.\(random.below(4))"
      let seconds = (now - (filled[address] ?? now)) / RefusalThrottle.interval
      let level = min(
        Double(RefusalThrottle.burst),
        (tokens[address] ?? Double(RefusalThrottle.burst)) + seconds
      )
      let answer = throttle.refuse(address, waiting: 0, now: now)
      // Where the two ways to count differ by rounding, either answer is right.
      if abs(level - 1) > 1e-6 { #expect((answer == .now) == (level >= 1), "seed \(seed)") }
      tokens[address] = answer == .now ? level - 1 : level
      filled[address] = now
    }
  }
}

@Suite("RefusalLog") struct RefusalLogTests {
  private let start = ContinuousClock.now

  @Test("alike ones are counted together; none is lost, whatever number of sources there is")
  func counts() {
    var log = RefusalLog()
    #expect(log.due(start) == nil)
    let keys = (0..<RefusalLog.sourcesMax + 50).map { _ in KeyPair().publicKey }
    for key in keys {
      for _ in 0..<3 { log.note(.init(publicKey: key, address: "a", count: 1)) }
    }
    #expect(log.due(start) == start)
    let taken = log.take(start)
    #expect(taken.count == RefusalLog.sourcesMax + 1)
    #expect(taken.map(\.count).reduce(0, +) == 3 * keys.count)
    // Beyond the keys that are distinguished, the address still is.
    #expect(taken.last == RefusedHandshake(publicKey: nil, address: "a", count: 150))
    #expect(log.due(start) == nil)
    log.note(.init(publicKey: keys[0], address: "a", count: 1))
    #expect(log.due(start) == start.advanced(by: RefusalLog.pause))
  }

  @Test("many keys from one address do not hide another address, and many addresses are bounded")
  func addresses() {
    var log = RefusalLog()
    for _ in 0..<2 * RefusalLog.sourcesMax {
      log.note(.init(publicKey: KeyPair().publicKey, address: "a", count: 1))
    }
    log.note(.init(publicKey: KeyPair().publicKey, address: "b", count: 1))
    #expect(log.take(start).contains { $0.address == "b" && $0.count == 1 })
    for number in 0..<10_000 {
      log.note(.init(publicKey: nil, address: "\(number)", count: 1))
    }
    let taken = log.take(start)
    #expect(taken.count == RefusalLog.sourcesMax + RefusalLog.addressesMax + 1)
    #expect(taken.map(\.count).reduce(0, +) == 10_000)
  }
}

@Suite("ZAPRequest") struct ZAPRequestTests {
  private func request(_ frames: [[UInt8]]) -> ZAPRequest? {
    var parts: [UnsafeRawBufferPointer] = []
    defer { for part in parts { part.deallocate() } }
    for frame in frames {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
      copy.copyBytes(from: frame)
      parts.append(UnsafeRawBufferPointer(copy))
    }
    return ZAPRequest(parts)
  }

  private func frames(_ texts: String..., key: [UInt8]) -> [[UInt8]] {
    texts.map { Array($0.utf8) } + [key]
  }

  @Test("a request of CURVE has a key; any other has none, and is answered all the same")
  func keys() {
    let key = KeyPair().publicKey
    let good = frames("1.0", "7", "tidings", "10.0.0.1", "", "CURVE", key: key.bytes)
    #expect(request(good)?.publicKey == key)
    #expect(request(good)?.address == "10.0.0.1")
    let bad = [
      frames("1.1", "7", "tidings", "10.0.0.1", "", "CURVE", key: key.bytes),
      frames("", "7", "tidings", "10.0.0.1", "", "CURVE", key: key.bytes),
      frames("1.0", "7", "tidings", "10.0.0.1", "", "PLAIN", key: key.bytes),
      frames("1.0", "7", "tidings", "10.0.0.1", "", "curve", key: key.bytes),
      frames("1.0", "7", "tidings", "10.0.0.1", "", "CURVE", key: Array(key.bytes.dropLast())),
      frames("1.0", "7", "tidings", "10.0.0.1", "", "CURVE", key: []),
      frames("1.0", "7", "tidings", "10.0.0.1", "CURVE", key: key.bytes),
      good + [[1]], Array(good.dropLast()), Array(good.prefix(2)),
    ]
    for frames in bad {
      #expect(request(frames)?.id == Array("7".utf8), "\(frames)")
      #expect(request(frames)?.publicKey == nil, "\(frames)")
    }
  }

  @Test("what cannot be answered is none", arguments: 0..<200 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let frames = (0..<random.below(10)).map { _ in random.bytes(random.below(300)) }
    let request = request(frames)
    #expect((request == nil) == (frames.count < 2 || frames[1].count > 255))
    #expect(request?.publicKey == nil)
  }

  @Test("replies have the frames of RFC 27")
  func replies() {
    func texts(_ reply: ZAPReply) -> [String] {
      reply.frames(to: Array("7".utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    let admitted = ZAPReply.admitted(keyNumber: 42, ConnectionNumber(0x0102))
    #expect(texts(admitted).prefix(5) == ["1.0", "7", "200", "OK", "42"])
    // The routing id: a tag, and the number with its lowest byte first.
    #expect(
      admitted.frames(to: [])[5]
        == [8] + Array("Identity".utf8) + [0, 0, 0, 7, 1, 2, 1, 0, 0, 0, 0]
        + [18] + Array("Tidings-Connection".utf8) + [0, 0, 0, 3] + Array("258".utf8)
    )
    let unnamed = ZAPReply.admitted(keyNumber: nil, ConnectionNumber(1))
    #expect(texts(unnamed)[4] == "")
    #expect(texts(.refused)[2] == "400" && texts(.refused)[4] == "")
    #expect(texts(.dropped)[2] == "300" && texts(.dropped)[4] == "")
  }
}

@Suite("ConnectionCeiling") struct ConnectionCeilingTests {
  @Test("it shuts at the ceiling, once, and opens below it", arguments: [64, 700, 1024, 20_000])
  func ceiling(descriptorsMax: Int) {
    let value = ConnectionCeiling(descriptorsMax: descriptorsMax, connectionsMax: .max)
    let ceiling = Held(value)
    let first = ceiling.ceiling
    #expect(first >= descriptorsMax / 2 && first < descriptorsMax)
    #expect(value.end >= first && value.end < descriptorsMax)
    #expect(!ceiling.accepted(first - 1))
    #expect(!ceiling.saw(lowestFree: 3))
    #expect(ceiling.accepted(first) && !ceiling.isOpen)
    #expect(!ceiling.accepted(first + 1))
    #expect(!ceiling.saw(lowestFree: first))
    #expect(ceiling.saw(lowestFree: first - 1) && ceiling.isOpen)
    #expect(ceiling.accepted(first))
  }
}
