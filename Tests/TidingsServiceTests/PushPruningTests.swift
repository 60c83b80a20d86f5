internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

@testable internal import TidingsEngine
@testable internal import TidingsService

@Suite struct PushPruningTests {
  private func text(_ random: inout SplitMix64) -> String {
    guard !random.oneIn(3) else { return "" }
    return String(repeating: "x", count: 1 + random.below(random.oneIn(4) ? 3000 : 100))
  }

  private func texts(_ random: inout SplitMix64) -> [String] {
    (0..<random.below(4)).map { _ in text(&random) }
  }

  private func notification(_ random: inout SplitMix64) -> TidingsV1.Notification {
    var notification = TidingsV1.Notification(
      type: .query,
      databaseID: .init(container: text(&random), scope: .private),
      reason: .recordUpdated,
      recordID: .init(recordName: text(&random), zoneID: .init(zoneName: text(&random))),
      recordType: text(&random),
      recordFields: Dictionary(
        texts(&random).enumerated().map { ("f\($0)", .init(.stringValue($1))) },
        uniquingKeysWith: { a, _ in a }
      ),
      committed: .init(seconds: 1_800_000_000, nanos: 5),
      position: .init(channelID: "1234567", sequenceNumber: 89),
      alertLocalizationValues: texts(&random),
      titleLocalizationValues: texts(&random),
      subtitleLocalizationValues: texts(&random),
      collapseID: text(&random),
      omittedKeys: texts(&random)
    )
    if !random.oneIn(5) {
      notification.notificationInfo = .init(
        alertBody: text(&random),
        alertLocalizationKey: text(&random),
        alertLocalizationArgs: texts(&random),
        title: text(&random),
        titleLocalizationKey: text(&random),
        titleLocalizationArgs: texts(&random),
        subtitle: text(&random),
        subtitleLocalizationKey: text(&random),
        subtitleLocalizationArgs: texts(&random),
        alertActionLocalizationKey: text(&random),
        alertLaunchImage: text(&random),
        soundName: text(&random),
        desiredKeys: texts(&random),
        shouldBadge: true,
        category: text(&random),
        collapseIDKey: text(&random)
      )
    }
    return notification
  }

  @Test("what is left fits, nothing goes before what goes earlier, and nothing goes in vain")
  func property() throws {
    let seed = Seed.make("PushPruning")
    var random = SplitMix64(seed: seed)
    for _ in 0..<600 {
      let original = notification(&random)
      let bytesMax = random.below(random.oneIn(3) ? 200 : 6000)
      let bytes = PushPruning.encode(original, bytesMax: bytesMax)
      let rest = try TidingsV1.Notification(decoding: bytes)
      #expect(rest.position == original.position && rest.type == original.type)
      #expect(rest.committed == original.committed)
      guard original.encoded().count > bytesMax else {
        #expect(rest == original, "seed \(seed)")
        continue
      }
      #expect(rest.isPruned)
      let left = PushPruning.ladder.map { $0.isPart(of: rest) }
      let isBare = !left.contains(true)
      #expect(bytes.count <= bytesMax || isBare, "seed \(seed)")
      // The last part that is gone: all before it are gone, all after it are whole.
      var expected = original
      expected.isPruned = true
      for part in PushPruning.ladder where expected.encoded().count > bytesMax {
        part.remove(&expected)
      }
      #expect(rest == expected, "seed \(seed)")
      let firstLeft = left.firstIndex(of: true) ?? left.count
      for part in PushPruning.ladder[..<firstLeft] { #expect(!part.isPart(of: rest)) }
      for (part, isLeft) in zip(PushPruning.ladder, left).dropFirst(firstLeft) {
        #expect(isLeft == part.isPart(of: original), "\(part.name), seed \(seed)")
      }
    }
  }

  @Test("the ladder takes all there is but type, number and time, in CloudKit's order")
  func ladder() {
    var random = SplitMix64(seed: 3)
    var notification = notification(&random)
    for part in PushPruning.ladder { part.remove(&notification) }
    #expect(
      notification
        == .init(
          type: .query,
          committed: .init(seconds: 1_800_000_000, nanos: 5),
          position: .init(channelID: "1234567", sequenceNumber: 89)
        )
    )
    let order = [
      "fields", "container", "record", "sound", "launch image", "action key", "alert body",
      "alert arguments", "alert key", "info",
    ]
    #expect(PushPruning.ladder.map(\.name).filter(order.contains) == order)
  }

  @Test("a push is as large as allowed before it is sealed, pruned when it is not, and opens")
  func messages() throws {
    let seed = Seed.make("PushMessage")
    var random = SplitMix64(seed: seed)
    var nonces = NonceSequence()
    let key = SealingKey(secret: [UInt8](repeating: 3, count: 32), name: [1])
    for _ in 0..<150 {
      let original = notification(&random)
      let event = StoredEvent(
        channel: 1_234_567,
        topic: [1],
        sequence: 89,
        originTag: random.oneIn(2) ? 0 : random.next(),
        committed: Timestamp(millisecondsSince1970: 1),
        body: original.encoded()
      )
      let bytesMax = 256 + random.below(5000)
      let published = PushMessage.PublicationTime(
        Timestamp(millisecondsSince1970: 1_800_000_000_123)
      )
      let open = PushMessage.event(event, published, .open, bytesMax: bytesMax)
      let sealed = PushMessage.event(
        event,
        published,
        .sealed(key, nonces.next()),
        bytesMax: bytesMax
      )
      #expect(open.bytes.count <= bytesMax && open.isPruned == sealed.isPruned)
      let (openPush, push) = (
        try TidingsV1.Push(decoding: open.bytes), try TidingsV1.Push(decoding: sealed.bytes)
      )
      #expect(push.sequenceNumber == 89 && push.previousSequenceNumber == 88)
      #expect(push.originTag == event.originTag)
      #expect(push.published == .init(seconds: 1_800_000_000, nanos: 123_000_000))
      guard case .notification(let notification)? = openPush.content,
        case .sealedNotification(let box)? = push.content
      else {
        Issue.record("no content")
        return
      }
      #expect(notification.isPruned == open.isPruned)
      if !open.isPruned { #expect(notification == original) }
      let opened = try #require(key.open(box))
      #expect(try TidingsV1.Notification(decoding: opened) == notification, "seed \(seed)")
    }
  }

  @Test("read marks that do not fit leave the number alone")
  func readMarks() throws {
    let published = PushMessage.PublicationTime(.now)
    func marks(_ count: Int) throws -> TidingsV1.Push {
      let marks = PushedReadMarks(
        topic: [1],
        originTag: 5,
        previous: 7,
        last: 7 + Int64(count),
        notificationIDs: (0..<count).map { "12345-\($0)" }
      )
      let bytes = PushMessage.readMarks(marks, published, .open, bytesMax: 4096)
      #expect(bytes.count <= 4096)
      return try TidingsV1.Push(decoding: bytes)
    }
    let few = try marks(3)
    #expect(few.content == .readMarks(.init(notificationIDs: ["12345-0", "12345-1", "12345-2"])))
    #expect(few.previousSequenceNumber == 7 && few.sequenceNumber == 10 && few.originTag == 5)
    let many = try marks(1000)
    #expect(many.content == .readMarks(.init()) && many.sequenceNumber == 1007)
  }

  /// Prints what sealing costs; `swift test` builds without optimization, the box itself is C.
  @Test("what sealing costs")
  func cost() {
    var nonces = NonceSequence()
    let key = SealingKey(secret: [UInt8](repeating: 3, count: 32), name: [1])
    let event = StoredEvent(
      channel: 1,
      topic: [1],
      sequence: 89,
      originTag: 1,
      committed: .now,
      body: [UInt8](repeating: 7, count: 250)
    )
    let published = PushMessage.PublicationTime(.now)
    let rounds = 20_000
    let clock = ContinuousClock()
    let open = clock.measure {
      for _ in 0..<rounds { _ = PushMessage.event(event, published, .open, bytesMax: 4096) }
    }
    let sealed = clock.measure {
      for _ in 0..<rounds {
        _ = PushMessage.event(event, published, .sealed(key, nonces.next()), bytesMax: 4096)
      }
    }
    print("a push of 250 bytes: \(open / rounds) open, \(sealed / rounds) sealed")
    #expect(open > .zero && sealed > .zero)
  }
}

extension PushPruning.Part {
  /// A notification has this part.
  fileprivate func isPart(of notification: TidingsV1.Notification) -> Bool {
    var rest = notification
    remove(&rest)
    return rest != notification
  }
}
