internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire

/// What is written by field numbers is read by the generated messages.
@Suite struct SplicedMessageTests {
  @Test("numbers, bytes and messages of all lengths are read by generated messages")
  func generatedMessagesRead() throws {
    let seed = Seed.make("WireWriter")
    var random = SplitMix64(seed: seed)
    for length in [0, 1, 126, 127, 128, 129, 16_383, 16_384, 70_000] {
      let content = random.bytes(length)
      var page = WireWriter()
      page.add(2, content)
      page.add(3, varint: 1)
      let decoded = try TidingsV1.FetchNotificationChangesResponse(decoding: page.bytes)
      #expect(decoded == .init(changeToken: content, moreComing: true))

      var push = WireWriter(capacity: 3)
      let (number, tag) = (random.next(), random.next())
      push.add(1, varint: number)
      push.add(4, fixed64: tag)
      content.withUnsafeBytes { push.add(6, $0) }
      #expect(
        try TidingsV1.Push(decoding: push.bytes)
          == .init(
            sequenceNumber: number,
            originTag: tag,
            content: .sealedNotification(content)
          )
      )
      var member = WireWriter()
      member.add(15, content)
      #expect(member.bytes.count == WireSize.field(length))
    }
  }

  @Test("an embedded message may come in two parts")
  func twoParts() throws {
    let first = TidingsV1.Notification(type: .query, recordID: .init("h1"), recordType: "Houses")
    let second = TidingsV1.Notification(notificationID: "1-2", subscriptionID: "s")
    var page = WireWriter()
    for _ in 0..<3 {
      let (a, b) = (first.encoded(), second.encoded())
      page.addHead(1, bytes: a.count + b.count)
      page.append(a)
      page.append(b)
    }
    var whole = first
    (whole.notificationID, whole.subscriptionID) = ("1-2", "s")
    #expect(
      try TidingsV1.FetchNotificationChangesResponse(decoding: page.bytes).notifications
        == [whole, whole, whole]
    )
  }
}
