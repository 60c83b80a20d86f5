internal import RandomSupport
internal import Testing
internal import TidingsMatcher
internal import TidingsModel

@testable internal import TidingsEngine

@Suite("Whether a subscription fires, and why not")
struct SubscriptionExplanationTests {
  private static let house = Record(
    recordID: RecordID(recordName: "h1"),
    recordType: "Houses",
    fields: ["price": .int64(90_000)]
  )
  private static let villa = Record(
    recordID: RecordID(recordName: "h1"),
    recordType: "Houses",
    fields: ["price": .int64(900_000)]
  )

  private func pricey(_ options: Subscription.FiringOptions) throws -> Subscription {
    Subscription(
      subscriptionID: "pricey",
      recordType: "Houses",
      predicate: try Predicate(text: "price > 100000"),
      options: options
    )
  }

  private func explain(
    _ options: Subscription.FiringOptions,
    _ old: Record?,
    _ new: Record?
  ) throws -> SubscriptionExplanation {
    try pricey(options).explanation(old: old, new: new)
  }

  @Test("a subscription that fires says why")
  func fires() throws {
    let all: Subscription.FiringOptions = [
      .recordCreation, .recordUpdate, .recordDeletion, .recordEnter, .recordLeave,
    ]
    let (house, villa) = (Self.house, Self.villa)
    #expect(try explain(all, nil, villa).reason == .recordCreated)
    #expect(try explain(all, villa, nil).reason == .recordDeleted)
    #expect(try explain(all, house, villa).reason == .recordEntered)
    #expect(try explain(all, villa, house).reason == .recordLeft)
    var other = villa
    other.fields["rooms"] = .int64(3)
    #expect(try explain(all, villa, other).reason == .recordUpdated)
    let created = try explain(.recordCreation, nil, villa)
    #expect(created.fires && created.failedTerm.isEmpty)
    #expect(created.message == "the record is created and matches")
  }

  @Test("a term that fails is reported with both values")
  func term() throws {
    let explanation = try explain(.recordCreation, nil, Self.house)
    #expect(!explanation.fires && explanation.reason == nil)
    #expect(explanation.failedTerm == "price > 100000")
    #expect(explanation.expectedValue == "100000" && explanation.actualValue == "90000")
    #expect(explanation.message == "price > 100000 is false: the record has 90000")
    let left = try explain(.recordLeave, Self.house, Self.villa)
    #expect(left.message == "price > 100000 is false: the record has 90000, before the change")
  }

  @Test("an option that is off is reported")
  func option() throws {
    let created = try explain(.recordDeletion, nil, Self.villa)
    #expect(created.failedTerm == "fires_on_record_creation" && created.actualValue == "off")
    #expect(created.message == "the record is created, and fires_on_record_creation is off")
    #expect(try explain(.recordDeletion, nil, Self.house).failedTerm == "fires_on_record_creation")
    #expect(
      try explain(.recordUpdate, Self.villa, nil).failedTerm == "fires_on_record_deletion"
    )
    var other = Self.villa
    other.fields["rooms"] = .int64(3)
    let updated = try explain(.recordEnter, Self.villa, other)
    #expect(
      updated.message
        == "the record is updated, and matches as before, and fires_on_record_update is off"
    )
  }

  @Test("another zone or type, and a save that changes nothing, are reported first")
  func mismatches() throws {
    var subscription = try pricey(.recordCreation)
    subscription.zoneID = ZoneID(zoneName: "z")
    let zone = subscription.explanation(old: nil, new: Self.house)
    #expect(zone.failedTerm == "zone 'z'" && zone.actualValue == "_defaultZone")
    subscription.recordType = "Flats"
    subscription.zoneID = nil
    let type = subscription.explanation(old: nil, new: Self.house)
    #expect(type.expectedValue == "Flats" && type.actualValue == "Houses")
    let same = try explain(.recordUpdate, Self.villa, Self.villa)
    #expect(!same.fires && same.failedTerm == "the record changes")
    // Texts that are equal as characters are two values.
    var (composed, decomposed) = (Self.villa, Self.villa)
    composed.fields["name"] = .string("é")
    decomposed.fields["name"] = .string("e\u{301}")
    #expect(try explain(.recordUpdate, composed, decomposed).reason == .recordUpdated)
  }

  @Test("it fires as the channel index says", arguments: [1, 2, 3, 4] as [UInt64])
  func sameAsIndex(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed, recordTypes: ["T", "U"])
    for round in 0..<25 {
      let index = ChannelIndex()
      var subscriptions: [Subscription] = []
      for number in 0..<30 {
        var subscription = Subscription(
          subscriptionID: "\(number)",
          recordType: source.random.pick(["T", "U"]),
          predicate: try Predicate(root: source.node(depth: 2)),
          options: Subscription.FiringOptions(rawValue: Int64(source.random.below(64)))
            .subtracting(.once)
        )
        if source.random.oneIn(3) {
          subscription.zoneID = ZoneID(zoneName: source.random.pick(["z", "_defaultZone"]))
        }
        index.insert(
          WatchedChannel(
            channel: Int64(number),
            database: 1,
            recordType: subscription.recordType,
            zone: subscription.zoneID.map(Self.number),
            predicate: subscription.predicate,
            options: subscription.options
          )
        )
        subscriptions.append(subscription)
      }
      for _ in 0..<30 {
        let (old, new) = source.change()
        var firings: [Firing] = []
        index.match(
          database: 1,
          zone: Self.number((new ?? old)?.recordID.zoneID ?? .default),
          old: old,
          new: new,
          at: Timestamp(millisecondsSince1970: 0),
          into: &firings
        )
        let isVisible = old?.fields != new?.fields || old?.parent != new?.parent
        let expected = Dictionary(uniqueKeysWithValues: firings.map { ($0.channel, $0.reason) })
        for subscription in subscriptions {
          let explanation = subscription.explanation(old: old, new: new)
          let reason = expected[Int64(subscription.subscriptionID) ?? -1]
          let isRight =
            explanation.fires == (reason != nil && isVisible)
            && explanation.fires == explanation.failedTerm.isEmpty
            && (!explanation.fires || explanation.reason?.rawValue == reason?.rawValue)
          guard isRight else {
            Issue.record(
              """
              seed \(seed), round \(round): \(subscription.predicate) with the options \
              \(subscription.options.rawValue): \(explanation), not \(String(describing: reason)), for \
              \(String(describing: old)) to \(String(describing: new))
              """
            )
            return
          }
        }
      }
    }
  }

  private static func number(_ zone: ZoneID) -> Int64 { zone == .default ? 1 : 2 }
}

extension RandomPredicates {
  /// A change to a record, of any sort.
  fileprivate mutating func change() -> (old: Record?, new: Record?) {
    let old = record()
    switch random.below(5) {
    case 0: return (nil, old)
    case 1: return (old, nil)
    default:
      var new = record()
      new.recordID = old.recordID
      new.recordType = old.recordType
      if random.oneIn(4) { new.fields = old.fields }
      if random.oneIn(4) { new.parent = old.parent }
      return (old, new)
    }
  }
}
