internal import TidingsKeys
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

private typealias World = FaultWorld

/// A call on an engine or a reader, whose answer can be compared.
struct FaultCall<Target> {
  let name: String
  let make: (FaultWorld, Target) throws -> Any

  init(_ name: String, _ make: @escaping (FaultWorld, Target) throws -> Any) {
    (self.name, self.make) = (name, make)
  }

  /// The answer as text; a refusal is one.
  func callAsFunction(_ world: FaultWorld, _ target: Target) throws -> String {
    do {
      return "\(try make(world, target))"
    } catch let error as ItemError {
      return "refused: \(error.code.rawValue) \(error.message)"
    }
  }
}

extension FaultCall<Engine> {

  private static func modify(
    _ database: DatabaseID,
    _ caller: Caller,
    _ saves: [Record],
    delete: [RecordID] = [],
    _ policy: RecordChanges.SavePolicy = .allKeys
  ) -> (World, Engine) throws -> Any {
    { _, engine in
      var changes = RecordChanges(
        database: database,
        saves: saves,
        deletions: delete,
        policy: policy
      )
      changes.clientChangeToken = [1, 2, 3]
      return try engine.modifyRecords(changes, caller: caller).outcomes.map { outcome in
        switch outcome {
        case .saved(let record): "saved \(record.recordID) \(record.changeTag)"
        case .deleted(let id): "deleted \(id)"
        case .failed(let id, let error, let conflict):
          "failed \(id) \(error.code) \(conflict.byteCount)"
        }
      }
    }
  }

  private static func id(_ name: String, _ zone: ZoneID = FaultWorld.notes) -> RecordID {
    RecordID(recordName: name, zoneID: zone)
  }

  private static func theirs(_ name: String, _ zone: String) -> Record {
    FaultWorld.record(name, ZoneID(zoneName: zone, ownerName: "ada"), ["n": .int64(9)])
  }

  /// Calls that write.
  static var writes: [Self] {
    [
      .init(
        "save",
        modify(
          World.home,
          World.ada,
          [
            World.record(
              "n1",
              World.notes,
              ["n": .int64(7), "other": .reference(.init(recordID: id("a")))]
            ),
            World.record("new", World.notes, ["photo": .asset(World.asset)], parent: "trip"),
          ]
        )
      ),
      .init("conflict", modify(World.home, World.ada, [conflicting], .ifServerRecordUnchanged)),
      .init("delete with sources", modify(World.home, World.ada, [], delete: [id("a")])),
      .init("delete a tree", modify(World.home, World.ada, [], delete: [id("trip")])),
      .init(
        "save in public",
        modify(
          World.common,
          World.ben,
          [World.record("p9", .default), World.record("p1", .default, ["n": .int64(3)])],
          delete: [id("p2", .default)]
        )
      ),
      .init(
        "save in a shared zone",
        modify(World.sharedByAda, World.ben, [theirs("w", "whole"), theirs("w2", "whole")])
      ),
      .init("save in a share", modify(World.sharedByAda, World.ben, [theirs("n2", "notes")])),
      .init("change a share", modify(World.home, World.ada, [changedShare])),
      .init(
        "end a share",
        modify(World.home, World.ada, [], delete: [id(Share.zoneWideName, World.whole)])
      ),
      .init("accept a share") { world, engine in
        try world.urls.map { try engine.acceptShare($0, for: World.ben).zone }
      },
      .init("save a zone") { _, engine in
        try engine.saveZone(ZoneID(zoneName: "new"), in: World.home, caller: World.ada).id
      },
      .init("delete a zone") { _, engine in
        try engine.deleteZone(World.whole, in: World.home, because: .purged, caller: World.ada)
      },
      .init("save subscriptions") { _, engine in
        try ["all", "more"].map {
          try engine.saveSubscription(
            World.subscription($0, zone: World.notes),
            of: "ada",
            in: World.home
          ).isNew
        }
      },
      .init("delete a subscription") { _, engine in
        try engine.deleteSubscription("zone", of: "ada", in: World.home)
      },
      .init("mark read") { _, engine in
        try engine.markRead(
          ["1-2", "1-3", "9-9"],
          for: World.phone,
          container: "c",
          environment: .development
        )
      },
      .init("set a badge") { _, engine in
        try engine.setBadge(3, of: "ada", container: "c", environment: .development)
      },
      .init("lease") { _, engine in
        try engine.leaseNotifications(
          of: World.group,
          for: World.phone,
          limit: 4,
          timeout: .standard,
          startsAtEnd: false
        ).items.map(\.leaseID)
      },
      .init("begin a group") { _, engine in
        try engine.leaseNotifications(
          of: WorkGroup(container: "c", environment: .development, name: "late"),
          for: World.phone,
          limit: 4,
          timeout: .standard,
          startsAtEnd: true
        ).items.count
      },
      .init("settle") { _, engine in
        try engine.settleNotifications(
          ["1-1-2-1"],
          of: World.group,
          as: .done(marksRead: true),
          for: World.phone
        )
          + engine.settleNotifications(
            ["1-1-3-1"],
            of: World.group,
            as: .released,
            for: World.phone
          )
      },
      .init("rotate channels") { _, engine in
        try engine.rotateOwnChannels(of: "ada", container: "c", environment: .development).count
      },
      .init("apply a schema") { _, engine in
        try engine.applySchema(
          """
          DEFINE SCHEMA RECORD TYPE Note (
            n INT64 QUERYABLE, text STRING QUERYABLE SORTABLE, photo ASSET, other REFERENCE,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO editor);
            RECORD TYPE More (a INT64 QUERYABLE);
          """,
          to: "c",
          isDryRun: false
        ).count
      },
      .init("deploy a schema") { _, engine in
        try engine.deploySchema(of: "c", isDryRun: false).count
      },
      .init("maintenance") { _, engine in
        var count = 0
        while try engine.doMaintenance() == .zero, count < 20 { count += 1 }
        return "done"
      },
      .init("create a user") { _, engine in
        try engine.createUser(
          AccountRequest("cleo", roles: ["admin"], key: KeyRequest(World.keys[2]))
        ).roles
      },
      .init("assign roles") { _, engine in try engine.assignRoles([], to: "ben").roles },
      .init("restrict a user") { _, engine in
        try engine.updateUser(
          "ben",
          AccountChange(isRestricted: true, quota: .set(Quota(recordsMax: 9)))
        ).name
      },
      .init("authorize a key") { _, engine in
        try engine.authorizeKey(KeyRequest(World.keys[3]), of: "ada")?.keys.count ?? -1
      },
      .init("revoke a key") { _, engine in
        let (account, _) = try engine.revokeKey(World.keys[1])
        return account?.name ?? ""
      },
      .init("set a quota") { _, engine in try engine.setQuota(Quota(bytesMax: 1 << 30), of: "ada")
      },
      .init("add assets") { _, engine in
        try engine.addAsset(World.otherAsset, in: World.home, by: "ada")
        try engine.addAsset(World.otherAsset, in: World.common, by: "ben")
        return "added"
      },
      .init("keep an answer") { _, engine in
        let call = idempotent("new")
        try engine.keep([1], for: call)
        return try engine.answer(to: call) ?? []
      },
    ]
  }

  private static var conflicting: Record {
    var record = FaultWorld.record("n1")
    record.changeTag = "1"
    return record
  }

  private static var changedShare: Record {
    var record = FaultWorld.share("s", FaultWorld.notes, of: "trip")
    record.share?.participants.append(.init(user: "cleo", permission: .readOnly))
    return record
  }

  private static func idempotent(_ key: String) -> IdempotentCall {
    [UInt8](key.utf8).withUnsafeBytes {
      IdempotentCall(owner: "ada", key: key, method: "m", request: $0)
    }
  }

  private static func body(
    _ id: RecordID,
    _ database: DatabaseID,
    _ caller: Caller
  ) -> (
    World, Engine
  ) throws -> Any {
    { _, engine in
      var count = 0
      try engine.withRecord(id, in: database, caller: caller) { count = $0.count }
      return count
    }
  }

  /// Calls that only read.
  static var reads: [Self] {
    [
      .init("zone") { _, engine in try engine.zone(World.notes, in: World.home) },
      .init("zones") { _, engine in try engine.zones(in: World.home) },
      .init("shared zones") { _, engine in try engine.zones(in: World.sharedByAda) },
      .init("shared zone") { _, engine in
        try engine.zone(ZoneID(zoneName: "notes", ownerName: "ada"), in: World.sharedByAda)
      },
      .init("head") { _, engine in try engine.head(of: World.home) },
      .init("record", body(id("n1"), World.home, World.ada)),
      .init("no record", body(id("never"), World.home, World.ada)),
      .init("public record", body(id("p1", .default), World.common, World.ben)),
      .init(
        "shared record",
        body(id("n2", ZoneID(zoneName: "notes", ownerName: "ada")), World.sharedByAda, World.ben)
      ),
      .init("subscription") { _, engine in
        try engine.subscription("all", of: "ada", in: World.home).since
      },
      .init("subscriptions") { _, engine in try engine.subscriptionNames(of: "ada", in: World.home)
      },
      .init("channels") { _, engine in
        try engine.pushChannels(for: World.ada, container: "c", environment: .development)
          .map { "\($0.channel) \($0.head) \($0.subscriptionID)" }
      },
      .init("control topic") { _, engine in
        try engine.controlTopic(of: "ada", container: "c", environment: .development).count
      },
      .init("newest mark") { _, engine in
        try engine.newestReadMark(of: "ada", container: "c", environment: .development)
      },
      .init("trace") { _, engine in
        try engine.trace("1-2", for: World.ada, container: "c", environment: .development).leases
          .count
      },
      .init("share") { world, engine in
        try world.urls.map { try engine.shareInfo($0, for: World.ben, wantsRoot: true).zone }
      },
      .init("shares") { _, engine in
        try engine.shares(of: World.ben, after: 0).map(\.zone)
      },
      .init("usage") { _, engine in
        (try engine.usage(of: "ada"), try engine.publicUsage(in: "c"), try engine.quota(of: "ada"))
      },
      .init("account") { _, engine in try engine.account("ada") },
      .init("accounts") { _, engine in try engine.accounts(after: "", limit: 9) },
      .init("guest keys") { _, engine in try engine.guestKeys() },
      .init("keys") { _, engine in
        try ([1, 2, 3, 4, 5] as [Int64]).map {
          "\(try engine.standing(ofKey: $0)) \(String(describing: try engine.holder(ofKey: $0)))"
        }
      },
      .init("roles") { _, engine in
        (
          try engine.isAdministrator("root"), try engine.isDeveloper("ada", of: "c"),
          try engine.roles(of: "ben"),
          try engine.displayName(of: "ada"), try engine.isRestricted("ben"),
          try engine.administration,
          try engine.isAdministered
        )
      },
      .init("answer") { _, engine in try engine.answer(to: idempotent("kept")) ?? [] },
      .init("watch") { _, engine in
        try engine.isCurrent(FeedWatch(database: World.home, zones: [], head: 3))
      },
      .init("schema") { _, engine in
        try engine.deploySchema(of: "c", isDryRun: true).count
      },
    ]
  }
}

extension FaultCall<EngineReader> {
  private static let now = Timestamp(millisecondsSince1970: 1_700_000_500_000)
  private static let steadyNow = SteadyTime(milliseconds: 1_700_000_500_000)

  private static func zone(
    _ zone: ZoneID,
    _ database: DatabaseID,
    _ caller: Caller,
    types: Set<String> = [],
    keys: Set<String>? = nil
  ) -> (World, EngineReader) throws -> Any {
    { _, reader in
      var budget = FeedBudget(limit: 0, reader.limits)
      var changes: [String] = []
      let end = try reader.zoneChanges(
        ZoneFeedRequest(zone: zone, desiredKeys: keys, recordTypes: types),
        in: database,
        caller: caller,
        budget: &budget
      ) { change in
        switch change {
        case .saved(let body): changes.append("saved \(body.count)")
        case .deleted(let name, let type): changes.append("deleted \(name) \(type)")
        }
      }
      return "\(changes) \(end.moreComing) \(end.clientChangeTokenData)"
    }
  }

  private static func query(
    _ text: String,
    sort: [RecordQuery.SortKey] = [],
    _ database: DatabaseID = FaultWorld.home,
    _ user: String = "ada",
    limit: Int = 3
  ) -> (World, EngineReader) throws -> Any {
    { _, reader in
      var sizes: [Int] = []
      var cursor: [UInt8] = []
      let query = RecordQuery(
        database: database,
        recordType: "Note",
        predicate: try Predicate(text: text),
        sortKeys: sort
      )
      cursor = try reader.records(matching: query, for: user, limit: limit, at: steadyNow) {
        sizes.append($0.count)
      }.cursor
      while !cursor.isEmpty, sizes.count < 9 {
        cursor = try reader.records(after: cursor, for: user, limit: limit, at: steadyNow) {
          sizes.append($0.count)
        }.cursor
      }
      return "\(sizes) \(cursor.isEmpty)"
    }
  }

  private static func notifications(
    _ caller: Caller,
    limit: Int = 0
  ) -> (World, EngineReader)
    throws -> Any
  {
    { _, reader in
      var request = NotificationRequest(
        caller: caller,
        container: "c",
        environment: .development,
        limit: limit
      )
      request.wantsBadge = true
      var lines: [String] = []
      var more = true
      while more {
        let page = try reader.notifications(request)
        lines += page.items.map { "\($0.id) \($0.subscriptionID) \($0.body.count)" }
        lines.append("\(page.readMarks) \(page.badge ?? -1)")
        request.changeToken = page.changeToken
        more = page.moreComing
      }
      return lines
    }
  }

  static var reads: [Self] {
    [
      .init("zone changes", zone(World.notes, World.home, World.ada)),
      .init(
        "zone changes of a type",
        zone(World.notes, World.home, World.ada, types: ["Note"], keys: ["n"])
      ),
      .init("public changes", zone(.default, World.common, World.ben)),
      .init(
        "changes of a shared zone",
        zone(ZoneID(zoneName: "whole", ownerName: "ada"), World.sharedByAda, World.ben)
      ),
      .init(
        "changes of a share",
        zone(ZoneID(zoneName: "notes", ownerName: "ada"), World.sharedByAda, World.ben)
      ),
      .init("database changes") { _, reader in
        let page = try reader.databaseChanges(in: World.home, after: [], limit: 0)
        return "\(page.changedZones) \(page.deletedZones) \(page.moreComing)"
      },
      .init("shared database changes") { _, reader in
        let page = try reader.databaseChanges(in: World.sharedByAda, after: [], limit: 0)
        return "\(page.changedZones) \(page.deletedZones) \(page.moreComing)"
      },
      .init("watch") { _, reader in try reader.watch([World.notes], in: World.home) },
      .init("shared watch") { _, reader in
        try reader.watch([], in: World.sharedByAda).sharedHeads.numbers
      },
      .init("scan", query("TRUEPREDICATE")),
      .init("range", query("n > 1 AND n < 9")),
      .init("in", query("n IN {1, 5}")),
      .init("sorted", query("text = 'text'", sort: [.init(field: "n", isDescending: true)])),
      .init("sorted in memory", query("TRUEPREDICATE", sort: [.init(field: "text")])),
      .init("public query", query("n = 1", World.common, "ben")),
      .init("shared query", query("TRUEPREDICATE", World.sharedByAda, "ben")),
      .init("notifications", notifications(World.phone)),
      .init("pages of notifications", notifications(World.phone, limit: 5)),
      .init("public notifications", notifications(World.ben)),
      .init("health") { _, reader in
        let healths = try reader.health(of: [], of: "ada", in: World.home)
        return healths.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      },
      .init("explain") { _, reader in
        try reader.explain(
          .save(World.record("n1", World.notes, ["n": .int64(8)])),
          to: [],
          for: World.ada,
          in: World.home,
          at: now
        )
      },
      .init("schema") { _, reader in try reader.schema(of: "c", .development) },
    ]
  }
}
