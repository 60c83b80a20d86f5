#if DEBUG
internal import RandomSupport
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel

/// Calls of all kinds, few names, so that they meet.
struct RandomCalls {
  typealias Call = (Engine) throws -> Void

  static let home = DatabaseID(
    container: "c",
    environment: .development,
    scope: .private,
    owner: "ada"
  )
  static let common = DatabaseID(
    container: "c",
    environment: .development,
    scope: .public,
    owner: ""
  )
  static let ada = Caller(user: "ada", device: "laptop")
  static let phone = Caller(user: "ada", device: "phone")
  static let ben = Caller(user: "ben", device: "phone")
  static let zones = ["notes", "plans", "drafts"].map { ZoneID(zoneName: $0) } + [.default]
  private static let group = WorkGroup(container: "c", environment: .development, name: "workers")

  var random: SplitMix64
  /// Assets that the private database has.
  var assets: [Asset] = []

  /// The next call, and what it is.
  mutating func next() -> (name: String, call: Call) {
    switch random.below(24) {
    case 0..<8: ("save", save())
    case 8, 9: ("delete", delete())
    case 10: ("save in public", savePublic())
    case 11: ("save a zone", saveZone())
    case 12: ("delete a zone", deleteZone())
    case 13: ("subscribe", subscribe())
    case 14: ("unsubscribe", unsubscribe())
    case 15: ("mark read", markRead())
    case 16: ("lease", lease())
    case 17: ("settle", settle())
    case 18: ("share", share())
    case 19: ("accept", accept())
    case 20: ("set a badge", setBadge())
    case 21: ("rotate", rotate())
    case 22: ("user", changeUser())
    default: ("schema", applySchema())
    }
  }

  private mutating func record(in zone: ZoneID) -> Record {
    var fields: RecordFields = [
      "n": .int64(Int64(random.below(9))),
      "text": .string(String(repeating: "x", count: random.below(random.oneIn(6) ? 9_000 : 60))),
    ]
    if !assets.isEmpty, random.oneIn(4) { fields["photo"] = .asset(random.pick(assets)) }
    return Record(
      recordID: RecordID(recordName: "r\(random.below(30))", zoneID: zone),
      recordType: "Note",
      fields: fields
    )
  }

  private mutating func save() -> Call {
    let zone = random.pick(Self.zones)
    let count = 1 + random.below(random.oneIn(5) ? 40 : 4)
    let changes = RecordChanges(
      database: Self.home,
      saves: (0..<count).map { _ in record(in: zone) },
      deletions: [],
      policy: .allKeys,
      isAtomic: random.oneIn(2)
    )
    return { _ = try $0.modifyRecords(changes, caller: Self.ada) }
  }

  /// Saves a record that nobody else saves.
  static func save(_ name: String) -> Call {
    let changes = RecordChanges(
      database: home,
      saves: [
        Record(
          recordID: RecordID(recordName: name, zoneID: .default),
          recordType: "Note",
          fields: ["n": .int64(1)]
        )
      ],
      deletions: [],
      policy: .allKeys
    )
    return { _ = try $0.modifyRecords(changes, caller: ada) }
  }

  private mutating func delete() -> Call {
    let zone = random.pick(Self.zones)
    let changes = RecordChanges(
      database: Self.home,
      saves: [],
      deletions: (0..<1 + random.below(3)).map { _ in
        RecordID(recordName: "r\(random.below(30))", zoneID: zone)
      },
      policy: .allKeys
    )
    return { _ = try $0.modifyRecords(changes, caller: Self.phone) }
  }

  private mutating func savePublic() -> Call {
    let changes = RecordChanges(
      database: Self.common,
      saves: [record(in: .default)],
      deletions: [],
      policy: .allKeys
    )
    return { _ = try $0.modifyRecords(changes, caller: Self.ben) }
  }

  private mutating func saveZone() -> Call {
    let zone = Self.zones[random.below(3)]
    return { _ = try $0.saveZone(zone, in: Self.home, caller: Self.ada) }
  }

  private mutating func deleteZone() -> Call {
    let zone = Self.zones[random.below(3)]
    return { try $0.deleteZone(zone, in: Self.home, because: .deleted, caller: Self.ada) }
  }

  private mutating func subscribe() -> Call {
    let subscription = Subscription(
      subscriptionID: "s\(random.below(4))",
      recordType: "Note",
      predicate: .true,
      zoneID: random.oneIn(2) ? Self.zones[random.below(3)] : nil,
      options: [.recordCreation, .recordUpdate, .recordDeletion]
    )
    return { _ = try $0.saveSubscription(subscription, of: "ada", in: Self.home) }
  }

  private mutating func unsubscribe() -> Call {
    let name = "s\(random.below(4))"
    return { try $0.deleteSubscription(name, of: "ada", in: Self.home) }
  }

  private mutating func markRead() -> Call {
    let id = "\(1 + random.below(4))-\(1 + random.below(40))"
    return {
      _ = try $0.markRead([id], for: Self.phone, container: "c", environment: .development)
    }
  }

  private mutating func lease() -> Call {
    let (limit, startsAtEnd) = (1 + random.below(4), random.oneIn(2))
    return {
      _ = try $0.leaseNotifications(
        of: Self.group,
        for: Self.phone,
        limit: limit,
        timeout: .standard,
        startsAtEnd: startsAtEnd
      )
    }
  }

  private mutating func settle() -> Call {
    let id = "\(1 + random.below(4))-\(1 + random.below(40))-\(1 + random.below(9))-1"
    let isDone = random.oneIn(2)
    return {
      _ = try $0.settleNotifications(
        [id],
        of: Self.group,
        as: isDone ? .done(marksRead: true) : .released,
        for: Self.phone
      )
    }
  }

  private mutating func share() -> Call {
    let (zone, root) = (Self.zones[random.below(3)], "r\(random.below(30))")
    var record = Record(
      recordID: RecordID(recordName: "share of \(root)", zoneID: zone),
      recordType: Share.recordType
    )
    record.share = Share(
      rootRecordName: root,
      participants: [.init(user: "ben", permission: .readWrite)]
    )
    let changes = RecordChanges(
      database: Self.home,
      saves: [record],
      deletions: [],
      policy: .allKeys
    )
    return { _ = try $0.modifyRecords(changes, caller: Self.ada) }
  }

  private func accept() -> Call {
    { engine in
      var url: String?
      _ = try engine.shares(
        of: Self.ada,
        container: "c",
        environment: .development,
        after: 0,
        limit: 9
      ) { share in
        url = url ?? share.record.share?.url
        return true
      }
      if let url { _ = try engine.acceptShare(url, for: Self.ben) }
    }
  }

  private mutating func setBadge() -> Call {
    let badge = random.below(9)
    return { try $0.setBadge(badge, of: "ada", container: "c", environment: .development) }
  }

  private func rotate() -> Call {
    { _ = try $0.rotateOwnChannels(of: "ada", container: "c", environment: .development) }
  }

  private mutating func changeUser() -> Call {
    let name = random.pick(["ada", "ben", "cleo"])
    let isNew = random.oneIn(2)
    let roles = random.oneIn(2) ? [] : ["editor"]
    return { engine in
      if isNew {
        _ = try engine.createUser(AccountRequest(name))
      } else {
        _ = try engine.assignRoles(roles, to: name)
      }
    }
  }

  private mutating func applySchema() -> Call {
    let index = random.oneIn(2) ? "QUERYABLE SORTABLE" : "QUERYABLE"
    let text = """
      DEFINE SCHEMA RECORD TYPE Note (
        n INT64 \(index), text STRING QUERYABLE, photo ASSET,
        GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
      """
    return { _ = try $0.applySchema(text, to: "c", isDryRun: false) }
  }
}
#endif
