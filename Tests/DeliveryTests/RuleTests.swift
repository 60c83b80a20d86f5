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
    var slots = HostSlots<Int>()
    #expect(slots.add(1, to: "a", max: 1) == .start)
    #expect(slots.add(2, to: "a", max: 1) == .queued)
    #expect(slots.add(3, to: "a", max: 1) == .full)
    #expect(slots.add(4, to: "b", max: 1) == .start)
    #expect(slots.finished("a") == 2)
    #expect(slots.finished("a") == nil)
    #expect(slots.add(5, to: "a", max: 1) == .start)
  }

  @Test("hosts are the same on all ports")
  func hosts() {
    #expect(Sender.name(of: "https://Example.org:8443/x?y") == "example.org")
    #expect(Sender.name(of: "https://[::1]:80/") == "[::1")
  }
}
