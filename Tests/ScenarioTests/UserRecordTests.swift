internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// The records of the type `Users`, one for each user in the public and in the private database.
@Suite(.endsServers) struct UserRecordTests {
  private typealias Record = TidingsV1.Record

  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)
  private static let privateDatabase = TidingsV1.DatabaseID(scope: .private)
  private static let databases = [publicDatabase, privateDatabase]

  private func fetch(
    _ name: String,
    in database: TidingsV1.DatabaseID,
    by client: Client
  ) async throws -> TidingsV1.RecordResult {
    try await client.records.fetchRecords(
      .init(databaseID: database, recordIDs: [.init(name)])
    ).results[0]
  }

  private func save(
    _ record: Record,
    in database: TidingsV1.DatabaseID,
    policy: TidingsV1.SavePolicy = .ifServerRecordUnchanged,
    by client: Client
  ) async throws -> TidingsV1.RecordResult {
    try await client.modify([record], policy: policy, in: database)[0]
  }

  @Test(
    "it is there before it is saved, is saved by its user, and outlasts a restart",
    arguments: [0, 1]
  )
  func ownRecord(index: Int) async throws {
    let database = Self.databases[index]
    let server = try await TestServer.startLasting()
    let ada = try await server.client(as: "ada")
    var record = try #require(try await fetch("ada", in: database, by: ada).record)
    #expect(record.recordType == "Users" && record.recordID?.recordName == "ada")
    #expect(record.fields.isEmpty && record.changeTag.isEmpty)
    record.fields["nick"] = "countess"
    let saved = try #require(try await save(record, in: database, by: ada).record)
    #expect(saved.created?.userRecordName == "ada" && !saved.changeTag.isEmpty)
    // Another device that did not fetch it since.
    let late = try await save(record, in: database, by: ada)
    #expect(late.error?.code == .serverRecordChanged)

    try await server.stop()
    let next = try await server.restarted()
    let again = try await next.client(as: "ada")
    var found = try #require(try await fetch("ada", in: database, by: again).record)
    #expect(found.fields["nick"] == "countess" && found.changeTag == saved.changeTag)
    found.fields["nick"] = "enchantress"
    #expect(try await save(found, in: database, by: again).record != nil)
  }

  @Test("others read the public record once it is saved, by name only, and never change it")
  func others() async throws {
    let server = try await TestServer.start()
    let (ada, ben) = (try await server.client(as: "ada"), try await server.client(as: "ben"))
    let guest = try await server.client(as: "")
    for client in [ben, guest] {
      let result = try await fetch("ada", in: Self.publicDatabase, by: client)
      #expect(result.error?.code == .unknownItem)
    }
    let record = Record("Users", "ada", ["nick": "countess"])
    for database in Self.databases {
      try #require(try await save(record, in: database, by: ada).record != nil)
    }
    for client in [ben, guest] {
      let found = try await fetch("ada", in: Self.publicDatabase, by: client).record
      #expect(found?.fields["nick"] == "countess")
    }
    // In his private database there is none of hers.
    #expect(
      try await fetch("ada", in: Self.privateDatabase, by: ben).error?.code == .unknownItem
    )
    for database in Self.databases {
      for policy in [TidingsV1.SavePolicy.allKeys, .changedKeys] {
        let result = try await save(record, in: database, policy: policy, by: ben)
        #expect(result.error?.code == .permissionFailure, "\(result)")
        #expect(result.error?.message.contains("yours is 'ben'") == true)
      }
    }
    let deletion = try await ben.modify(delete: [.init("ada")], in: Self.publicDatabase)[0]
    #expect(deletion.error?.code == .permissionFailure)

    // Feeds show nobody else's.
    _ = try await save(.init("Users", "ben", ["nick": "b"]), in: Self.publicDatabase, by: ben)
    _ = try await save(.init("Notes", "n"), in: Self.publicDatabase, by: ben)
    for (client, expected) in [(ada, ["ada", "n"]), (ben, ["ben", "n"]), (guest, ["n"])] {
      let changes = try await client.records.fetchRecordZoneChanges(
        .init(databaseID: Self.publicDatabase, zones: [.init(zoneID: .init())])
      )
      let names = changes.zones[0].changedRecords.compactMap(\.recordID?.recordName)
      #expect(names.sorted() == expected)
    }
  }

  @Test("it is neither deleted nor anywhere else, and its name is kept for it")
  func refusals() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    _ = try await ada.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "z"))])
    )
    for database in Self.databases {
      for isSaved in [false, true] {
        if isSaved {
          let record = Record("Users", "ada", ["nick": "a"])
          try #require(try await save(record, in: database, by: ada).record != nil)
        }
        let deletion = try await ada.modify(delete: [.init("ada")], in: database)[0]
        #expect(deletion.error?.code == .permissionFailure, "\(database) \(isSaved)")
        #expect(deletion.error?.message.contains("cannot be deleted") == true)
      }
      let other = try await save(.init("Users", "x"), in: database, by: ada)
      #expect(other.error?.code == .permissionFailure)
      let binding = Record(
        "Users",
        "ada",
        ["home": .init(.referenceValue(.init(recordID: .init("h"), action: .deleteSelf)))]
      )
      let bound = try await save(binding, in: database, policy: .allKeys, by: ada)
      #expect(
        bound.error?.code == .invalidArguments && bound.error?.message.contains("home") == true
      )
    }
    let inZone = try await save(
      .init("Users", "ada", zone: "z"),
      in: Self.privateDatabase,
      by: ada
    )
    #expect(inZone.error?.code == .invalidArguments)
    // In another zone the name is a name like any other.
    let note = try await save(.init("Notes", "ada", zone: "z"), in: Self.privateDatabase, by: ada)
    #expect(note.record != nil)
    let ben = try await server.client(as: "ben")
    for database in Self.databases {
      let taken = try await save(.init("Notes", "ben"), in: database, by: ben)
      #expect(taken.error?.code == .invalidArguments)
      #expect(taken.error?.message.contains("name of a user is kept") == true)
    }
  }

  @Test("records of users are neither queried nor watched")
  func queries() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    for database in Self.databases {
      _ = try await save(.init("Users", "ada", ["nick": "a"]), in: database, by: ada)
      let query = TidingsV1.QueryRecordsRequest(databaseID: database, recordType: "Users")
      let refused = await failure { _ = try await ada.records.queryRecords(query) }
      #expect(refused?.code == .permissionDenied && refused?.message.contains("queried") == true)
      let explained = await failure {
        _ = try await ada.records.explainQuery(.init(query: query))
      }
      #expect(explained?.code == .permissionDenied)
      for subscription in [
        TidingsV1.Subscription("q", "Users"), .database("d", type: "Users"),
        .zone("z", "_defaultZone", type: "Users"),
      ] {
        let result = try await ada.subscriptions.modifySubscriptions(
          .init(databaseID: database, subscriptionsToSave: [subscription])
        ).results[0]
        #expect(result.error?.code == .permissionFailure)
        #expect(result.error?.message.contains("watched") == true)
      }
    }
  }

  @Test("its type is in every schema, takes fields and indexes, is deployed and never removed")
  func schema() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    _ = try await save(.init("Users", "ada", ["nick": "a"]), in: Self.privateDatabase, by: ada)
    let learned = try await ada.schemas.fetchSchema(.init()).text
    #expect(learned.contains("RECORD TYPE Users"))
    #expect(learned.contains("GRANT WRITE TO \"_creator\""))
    #expect(!learned.contains("CREATE TO"))

    let left = "DEFINE SCHEMA RECORD TYPE Notes ( n INT64 );"
    _ = try await ada.schemas.applySchema(.init(text: left))
    #expect(try await ada.schemas.fetchSchema(.init()).text.contains("nick STRING"))
    let fewer = "DEFINE SCHEMA RECORD TYPE Users ( n INT64 );"
    let lossy = await failure { _ = try await ada.schemas.applySchema(.init(text: fewer)) }
    #expect(lossy?.message.contains("which are not deleted") == true)
    let more = """
      DEFINE SCHEMA
      RECORD TYPE Users ( nick STRING QUERYABLE, face ASSET, GRANT READ TO "_icloud" );
      """
    _ = try await ada.schemas.applySchema(.init(text: more))
    _ = try await ada.schemas.deploySchema(.init())
    let production = TidingsV1.DatabaseID(environment: .production, scope: .public)
    let saved = try await save(.init("Users", "ada", ["nick": "a"]), in: production, by: ada)
    #expect(saved.record != nil)
    let unknown = try await save(
      .init("Users", "ada", ["shoe": 1]),
      in: production,
      policy: .allKeys,
      by: ada
    )
    #expect(unknown.error?.code == .invalidArguments)
    // READ follows the grants; the own record does not need them.
    let (ben, guest) = (try await server.client(as: "ben"), try await server.client(as: ""))
    #expect(try await fetch("ada", in: production, by: ben).record != nil)
    #expect(try await fetch("ada", in: production, by: guest).error?.code == .unknownItem)

    for grant in ["WRITE TO \"_icloud\"", "CREATE TO \"_world\""] {
      let text = "DEFINE SCHEMA RECORD TYPE Users ( nick STRING, GRANT \(grant) );"
      let refused = await failure { _ = try await ada.schemas.applySchema(.init(text: text)) }
      #expect(refused?.code == .invalidArgument && refused?.message.contains("Users") == true)
    }
  }

  @Test("with keys: no role is needed for it, and names of users are kept from others")
  func withKeys() async throws {
    let secure = try await SecureServer.start()
    let ada = try await secure.client(secure.createUser("ada"))
    let ben = try await secure.client(secure.createUser("ben", roles: []))
    // Not a developer: the type is there, its fields have to be taught.
    let empty = try await save(.init("Users", "ben"), in: Self.publicDatabase, by: ben)
    #expect(empty.record != nil, "\(empty)")
    let taught = Record("Users", "ben", tag: empty.record?.changeTag ?? "", ["nick": "b"])
    #expect(
      try await save(taught, in: Self.publicDatabase, by: ben).error?.code == .invalidArguments
    )
    let first = try await save(
      .init("Users", "ada", ["nick": "a"]),
      in: Self.privateDatabase,
      by: ada
    )
    #expect(first.record != nil)
    #expect(try await save(taught, in: Self.publicDatabase, by: ben).record != nil)
    #expect(
      try await fetch("ben", in: Self.publicDatabase, by: ada).record?.fields["nick"] == "b"
    )
    // Nobody else takes the name beforehand.
    let squatter = try await save(.init("Notes", "root"), in: Self.publicDatabase, by: ada)
    #expect(squatter.error?.code == .invalidArguments)
    let own = try await save(.init("Notes", "root"), in: Self.privateDatabase, by: ada)
    #expect(own.record != nil)
  }

  @Test("the quota counts it")
  func quota() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "records-per-user-max=1"])
    let ada = try await server.client(as: "ada")
    _ = try await save(.init("Users", "ada"), in: Self.privateDatabase, by: ada)
    let status = try await TidingsV1.AccountService.Client(ada.transport)
      .fetchAccountStatus(.init())
    #expect(status.usage.map(\.records).reduce(0, +) == 1)
    let more = try await save(.init("Notes", "n"), in: Self.privateDatabase, by: ada)
    #expect(more.error?.code == .quotaExceeded)
  }

  @Test("rpcctl reads and sets it")
  func tool() async throws {
    let server = try await TestServer.start()
    let set = await RpcctlRun(
      server,
      ["records", "set", "ada", "nick=countess", "--database", "public"]
    )
    #expect(set.exitCode == .success, "\(set.err)")
    let got = await RpcctlRun(
      server,
      ["records", "get", "ada", "--database", "public"],
      as: "ben"
    )
    #expect(got.exitCode == .success && got.out.contains("countess"), "\(got.err)")
    let refused = await RpcctlRun(
      server,
      ["records", "set", "ada", "nick=liar", "--database", "public"],
      as: "ben"
    )
    #expect(refused.exitCode == .itemsFailed, "\(refused.out) \(refused.err)")
    // It does not come along where its user does not save it.
    _ = await RpcctlRun(server, ["records", "set", "ada", "nick=countess"])
    _ = await RpcctlRun(server, ["records", "set", "n", "--type", "Notes", "a=b"])
    for (arguments, copied) in [
      (["other"], 1), (["_defaultZone", "--to-as", "ben"], 1),
      (["_defaultZone", "--to-container", "c"], 2),
    ] {
      let copy = await RpcctlRun(server, ["zones", "copy", "_defaultZone"] + arguments)
      #expect(copy.exitCode == .success, "\(arguments): \(copy.out) \(copy.err)")
      #expect(copy.out.contains("\"saved\":\(copied)"), "\(arguments): \(copy.out)")
      #expect(copy.err.contains("of users not copied") == (copied == 1), "\(copy.err)")
    }
  }
}
