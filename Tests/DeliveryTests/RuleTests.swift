internal import Testing

@testable internal import TidingsDelivery

/// What decides without a socket.
@Suite struct RuleTests {
  @Test(
    "special addresses are not connected to",
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "203.0.113.7",
      "224.0.0.1", "239.1.1.1", "255.255.255.255", "240.0.0.1", "::", "::1", "::7f00:1",
      "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "fe80::1", "fc00::1", "fd12::1",
      "ff02::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "fec0::1", "5f00::1",
    ]
  )
  func special(address: String) throws {
    #expect(!AddressRule().admits(try #require(AddressRule.bytes(address))))
  }

  @Test(
    "public addresses are",
    arguments: [
      "1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "9.255.255.255", "223.255.255.255",
      "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450:4001::1",
    ]
  )
  func open(address: String) throws {
    #expect(AddressRule().admits(try #require(AddressRule.bytes(address))))
  }

  @Test("a range allows its addresses, and no others")
  func allowed() throws {
    let rule = AddressRule(allowing: [
      try #require(.init("10.1.0.0/16")), try #require(.init("::1")),
    ])
    for (text, isAdmitted) in [
      ("10.1.255.1", true), ("10.2.0.1", false), ("::ffff:10.1.0.1", true), ("::1", true),
      ("::2", false), ("127.0.0.1", false),
    ] {
      #expect(rule.admits(try #require(AddressRule.bytes(text))) == isAdmitted, "\(text)")
    }
    for text in ["", "10.0.0.0/33", "10.0.0/8", "x", "::/129", "10.0.0.0/", "10.0.0.0/-1", "1/2/3"]
    {
      #expect(AddressRule.Range(text) == nil, "\(text)")
    }
  }

  @Test("pauses grow, and are at least what a service asks for, up to a day")
  func schedule() {
    let schedule = RetrySchedule([.seconds(1), .seconds(10)])
    #expect(schedule.pause(after: 1, asked: nil, jitter: 0.5) == .seconds(1))
    #expect(schedule.pause(after: 2, asked: nil, jitter: 0.5) == .seconds(10))
    #expect(schedule.pause(after: 3, asked: .seconds(1), jitter: 0.5) == nil)
    #expect(schedule.pause(after: 1, asked: .seconds(7), jitter: 0.5) == .seconds(7))
    #expect(schedule.pause(after: 1, asked: .seconds(1 << 30), jitter: 0.5) == .seconds(86_400))
  }

  @Test("a host has so many requests at a time, and as many that wait")
  func slots() {
    var slots = RequestSlots<Int>()
    let now = ContinuousClock.now
    func add(_ element: Int, to host: String, after seconds: Int = 0) -> RequestSlots<Int>.Decision
    {
      slots.add(element, to: host, max: 1, queueMax: 1, at: now + .seconds(seconds))
    }
    #expect(add(1, to: "a") == .start)
    #expect(add(2, to: "a") == .queued)
    #expect(add(3, to: "b") == .start)
    // One after the other, each when the one before is likely to be sent.
    #expect(add(4, to: "a") == .full(.milliseconds(500)))
    #expect(add(5, to: "a") == .full(.milliseconds(750)))
    #expect(slots.finished("a", after: .milliseconds(2_250), at: now) == 2)
    #expect(add(6, to: "a") == .queued)
    #expect(add(7, to: "a") == .full(.milliseconds(1_250)))
    #expect(add(8, to: "a", after: 600) == .full(.seconds(1)))
    #expect(slots.finished("a", after: nil, at: now) == 6)
    #expect(slots.finished("a", after: nil, at: now) == nil)
    #expect(add(9, to: "a") == .start)
  }

  @Test("a host that is slow is not asked for in vain, and comes back within a minute")
  func slowHost() {
    var slots = RequestSlots<Int>()
    let now = ContinuousClock.now
    var pauses: [Duration] = []
    for element in 0..<1_000 {
      let decision = slots.add(element, to: "a", max: 2, queueMax: 4, at: now)
      if case .full(let pause) = decision { pauses.append(pause) }
    }
    #expect(pauses.count == 994)
    #expect(pauses == pauses.sorted())
    #expect(pauses.last == .seconds(60))
  }

  @Test("a host with many requests gets all of them about as fast as it can")
  func busyHost() {
    var slots = RequestSlots<Int>()
    let (start, count, requestTime) = (ContinuousClock.now, 10_000, Duration.milliseconds(250))
    // When each comes (again), and when each that was begun ends; the earliest last.
    var arrivals = [Duration](repeating: .zero, count: count)
    var ends: [Duration] = []
    var (done, now) = (0, Duration.zero)
    while done < count {
      let nextEnd = ends.last ?? .seconds(1 << 30)
      if let arrival = arrivals.last, arrival <= nextEnd {
        now = max(now, arrival)
        arrivals.removeLast()
        switch slots.add(0, to: "a", max: 16, queueMax: 16, at: start + now) {
        case .start: ends.insert(now + requestTime, at: 0)
        case .queued: break
        case .full(let pause):
          let index = arrivals.firstIndex { $0 <= now + pause } ?? arrivals.endIndex
          arrivals.insert(now + pause, at: index)
        }
      } else {
        now = nextEnd
        ends.removeLast()
        done += 1
        if slots.finished("a", after: requestTime, at: start + now) != nil {
          ends.insert(now + requestTime, at: 0)
        }
      }
    }
    // 16 at a time would need 157 s, if there was always one.
    #expect(now < .seconds(240), "\(now)")
  }

  @Test("hosts are the same on all ports")
  func hosts() {
    #expect(Sender.name(of: "https://Example.org:8443/x?y") == "example.org")
    #expect(Sender.name(of: "https://example.org.:8443/x?y") == "example.org")
    #expect(Sender.name(of: "https://[::1]:80/") == "[::1")
  }
}
