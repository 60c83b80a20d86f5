internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// Whom users find: those who published themselves.
@Suite(.endsServers) struct DirectoryTests {
  private typealias Accounts = TidingsV1.AccountService.Client
  private typealias Lookup = TidingsV1.UserLookup

  private func accounts(_ client: Client) -> Accounts { Accounts(client.transport) }

  private func publish(
    _ entry: TidingsV1.DirectoryEntry?,
    as client: Client,
    in environment: TidingsV1.Environment = .development
  ) async throws {
    let answer = try await accounts(client).updateDirectoryEntry(
      .init(environment: environment, entry: entry)
    )
    #expect((answer.entry == nil) == (entry == nil))
  }

  private func find(
    _ key: Lookup.Key,
    by client: Client,
    in environment: TidingsV1.Environment = .development
  ) async throws -> TidingsV1.UserResult.Outcome? {
    let results = try await accounts(client).fetchUsers(
      .init(environment: environment, lookups: [.init(key: key)])
    ).results
    #expect(results.map(\.lookup?.key) == [key])
    return results[0].outcome
  }

  private func isUnknown(_ outcome: TidingsV1.UserResult.Outcome?) -> Bool {
    guard case .error(let error)? = outcome else { return false }
    return error.code == .unknownItem
  }

  private func listed(
    by client: Client,
    in environment: TidingsV1.Environment = .development
  ) async throws -> [String] {
    try await accounts(client).listDirectory(.init(environment: environment)).users
      .map(\.userRecordName)
  }

  @Test(
    "who published is found by name, address and number, until it is withdrawn; also after a restart"
  )
  func publishing() async throws {
    let server = try await TestServer.startLasting()
    let (ada, ben) = (try await server.client(as: "ada"), try await server.client(as: "ben"))
    #expect(try await accounts(ada).fetchDirectoryEntry(.init()).entry == nil)
    let keys: [Lookup.Key] = [
      .userRecordName("ada"), .emailAddress("ADA@example.com"), .phoneNumber("+49 (30) 123-45.67"),
    ]
    for key in keys { #expect(isUnknown(try await find(key, by: ben))) }
    let answer = try await accounts(ada).updateDirectoryEntry(
      .init(
        entry: .init(
          displayName: "Ada L.",
          emailAddress: "Ada@Example.com",
          phoneNumber: "+49 30 1234567"
        )
      )
    )
    let stored = TidingsV1.DirectoryEntry(
      displayName: "Ada L.",
      emailAddress: "ada@example.com",
      phoneNumber: "+49301234567"
    )
    #expect(answer.entry == stored)
    let shown = TidingsV1.User(
      userRecordName: "ada",
      displayName: "Ada L.",
      discoverable: true
    )
    for key in keys { #expect(try await find(key, by: ben) == .user(shown)) }
    #expect(try await accounts(ben).listDirectory(.init()).users == [shown])

    try await server.stop()
    let next = try await server.restarted()
    let (ada2, ben2) = (try await next.client(as: "ada"), try await next.client(as: "ben"))
    #expect(try await accounts(ada2).fetchDirectoryEntry(.init()).entry == stored)
    for key in keys { #expect(try await find(key, by: ben2) == .user(shown)) }
    // What is left out is not published any more.
    try await publish(.init(displayName: "Ada"), as: ada2)
    for key in keys.dropFirst() { #expect(isUnknown(try await find(key, by: ben2))) }
    #expect(try await listed(by: ben2) == ["ada"])
    try await publish(nil, as: ada2)
    try await publish(nil, as: ada2)
    #expect(isUnknown(try await find(keys[0], by: ben2)))
    #expect(try await listed(by: ben2).isEmpty)
  }

  @Test("each container and environment has a directory of its own")
  func positions() async throws {
    let server = try await TestServer.start()
    let (ada, ben) = (try await server.client(as: "ada"), try await server.client(as: "ben"))
    let undeployed = await failure {
      try await publish(.init(), as: ada, in: .production)
    }
    #expect(undeployed?.message.contains("deploy") == true)
    _ = try await ada.schemas.applySchema(
      .init(text: "DEFINE SCHEMA RECORD TYPE Notes ( n INT64 );")
    )
    _ = try await ada.schemas.deploySchema(.init())
    try await publish(.init(), as: ada, in: .production)
    #expect(try await listed(by: ben, in: .production) == ["ada"])
    #expect(try await listed(by: ben).isEmpty)
    let other = try await accounts(ben).listDirectory(
      .init(container: "other", environment: .development)
    )
    #expect(other.users.isEmpty)
    // The reset of development leaves production as it is.
    try await publish(.init(), as: ada)
    try await publish(.init(), as: ben)
    let administration = TidingsV1.AdminService.Client(ada.transport)
    _ = try await administration.resetDevelopment(.init())
    try await waitUntil("the end of the reset", pausing: .zero) {
      try await !administration.resetDevelopment(.init(dryRun: true)).isRunning
    }
    #expect(try await listed(by: ben).isEmpty)
    #expect(try await listed(by: ben, in: .production) == ["ada"])
  }

  @Test("an address and a number belong to one user; what is not valid says so")
  func refusals() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "containers-per-user-max=2"])
    let (ada, ben) = (try await server.client(as: "ada"), try await server.client(as: "ben"))
    try await publish(.init(emailAddress: "a@x.org", phoneNumber: "+4912345678"), as: ada)
    for entry in [
      TidingsV1.DirectoryEntry(emailAddress: "A@x.org"), .init(phoneNumber: "+49 1234-5678"),
    ] {
      let error = await failure {
        _ = try await accounts(ben).updateDirectoryEntry(.init(entry: entry))
      }
      #expect(error?.message.contains("another user published") == true)
    }
    #expect(try await listed(by: ben) == ["ada"])
    try await publish(nil, as: ada)
    try await publish(.init(emailAddress: "a@x.org", phoneNumber: "+4912345678"), as: ben)
    for entry in [
      TidingsV1.DirectoryEntry(displayName: String(repeating: "x", count: 256)),
      .init(displayName: "a\u{7}b"), .init(emailAddress: "nobody"), .init(emailAddress: "a@"),
      .init(emailAddress: "a b@x.org"), .init(emailAddress: "a@b@c"),
      .init(emailAddress: String(repeating: "x", count: 250) + "@x.org"),
      .init(phoneNumber: "030 1234567"), .init(phoneNumber: "+123456"),
      .init(phoneNumber: "+1234567890123456"), .init(phoneNumber: "+12345x78"),
    ] {
      let error = await failure {
        _ = try await accounts(ada).updateDirectoryEntry(.init(entry: entry))
      }
      #expect(error?.code == .invalidArgument, "\(entry)")
    }
    for key in [Lookup.Key.emailAddress("x"), .phoneNumber("12")] {
      guard case .error(let error)? = try await find(key, by: ada) else {
        Issue.record("\(key) is found")
        continue
      }
      #expect(error.code == .invalidArguments)
    }
    for container in ["c1", "c2", "c2"] {
      _ = try await accounts(ada).updateDirectoryEntry(.init(container: container, entry: .init()))
    }
    let error = await failure {
      _ = try await accounts(ada).updateDirectoryEntry(.init(container: "c3", entry: .init()))
    }
    #expect(error?.code == .resourceExhausted && error?.message.contains("2 containers") == true)
  }

  @Test("the directory comes in pages, sorted")
  func pages() async throws {
    let server = try await TestServer.start()
    let names = (0..<103).map { "user" + String(1_000 + $0) }
    for name in names.shuffled() {
      let client = try await server.client(as: name)
      try await publish(.init(), as: client)
      await client.close()
    }
    let ada = try await server.client(as: "ada")
    let first = try await accounts(ada).listDirectory(.init(limit: 1_000))
    #expect(first.users.map(\.userRecordName) == Array(names.prefix(100)) && first.moreComing)
    let second = try await accounts(ada).listDirectory(.init(after: names[99]))
    #expect(second.users.map(\.userRecordName) == Array(names.suffix(3)) && !second.moreComing)
    let small = try await accounts(ada).listDirectory(.init(after: names[0], limit: 2))
    #expect(small.users.map(\.userRecordName) == Array(names[1...2]) && small.moreComing)
    let all = await RpcctlRun(server, ["users", "find"])
    #expect(all.exitCode == .success && all.lines.count == 103, "\(all.err)")
  }

  @Test(
    "with keys: display names are for those who may see them, and restricted users are not shown"
  )
  func withKeys() async throws {
    let secure = try await SecureServer.start()
    var pairs: [String: KeyPair] = [:]
    for name in ["ada", "ben", "cleo"] { pairs[name] = try await secure.createUser(name) }
    let ada = try await secure.client(pairs["ada"])
    let (ben, cleo) = (
      try await secure.client(pairs["ben"]), try await secure.client(pairs["cleo"])
    )
    let root = try await secure.administration()
    _ = try await root.updateUser(.init(userName: "ada", displayName: "Ada"))
    _ = try await root.updateUser(.init(userName: "ben", displayName: "Ben"))
    func shown(_ name: String, by client: Client) async throws -> TidingsV1.User? {
      guard case .user(let user)? = try await find(.userRecordName(name), by: client) else {
        return nil
      }
      return user
    }
    // That there is such a user is no secret: who invites names them.
    #expect(try await shown("ada", by: ben) == .init(userRecordName: "ada"))
    #expect(try await shown("eve", by: ben) == nil)
    #expect(try await shown("ben", by: ben)?.displayName == "Ben")
    // Who share something see each other's names, once both take part.
    _ = try await ada.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: "trips"))])
    )
    let share = SharingWorld.share(
      "cloudkit.zoneshare",
      with: [("ben", .readOnly), ("cleo", .readOnly)]
    )
    try #require(try await ada.modify([share])[0].record != nil)
    let stored = try await ada.fetch([.init("cloudkit.zoneshare", zone: "trips")])[0].record
    let link = try #require(stored?.share?.url)
    #expect(try await shown("ada", by: ben)?.displayName == "")
    _ = try await SharingWorld.acceptance(of: link, by: ben)
    #expect(try await shown("ada", by: ben)?.displayName == "Ada")
    #expect(try await shown("ben", by: ada)?.displayName == "Ben")
    #expect(try await shown("ben", by: cleo)?.displayName == "")
    _ = try await SharingWorld.acceptance(of: link, by: cleo)
    #expect(try await shown("ben", by: cleo)?.displayName == "Ben")
    #expect(try await shown("ada", by: ben)?.discoverable == false)
    _ = try await ada.modify(delete: [.init("cloudkit.zoneshare", zone: "trips")])
    #expect(try await shown("ben", by: ada)?.displayName == "")

    // Without a name of its own an entry has that of the account.
    try await publish(.init(emailAddress: "ada@x.org"), as: ada)
    #expect(
      try await find(.emailAddress("ada@x.org"), by: cleo)
        == .user(.init(userRecordName: "ada", displayName: "Ada", discoverable: true))
    )
    try await publish(.init(displayName: "B."), as: ben)
    #expect(try await listed(by: cleo) == ["ada", "ben"])
    _ = try await root.updateUser(.init(userName: "ada", restricted: true))
    #expect(try await listed(by: cleo) == ["ben"])
    #expect(isUnknown(try await find(.emailAddress("ada@x.org"), by: cleo)))
    #expect(try await shown("ada", by: cleo) == .init(userRecordName: "ada"))
    _ = try await root.updateUser(.init(userName: "ada", restricted: false))
    #expect(try await listed(by: cleo) == ["ada", "ben"])

    let guest = KeyPair()
    _ = try await root.authorizeKey(.init(publicKey: .init(key: "\(guest.publicKey)")))
    let nobody = try await secure.client(guest)
    let calls: [() async throws -> Void] = [
      { _ = try await listed(by: nobody) }, { try await publish(.init(), as: nobody) },
      { _ = try await find(.emailAddress("ada@x.org"), by: nobody) },
      { _ = try await accounts(nobody).fetchDirectoryEntry(.init()) },
    ]
    for call in calls { #expect(await failure(call)?.code == .unauthenticated) }
  }

  @Test("rpcctl publishes, finds and withdraws")
  func tool() async throws {
    let server = try await TestServer.start()
    let published = await RpcctlRun(
      server,
      ["users", "publish", "--display-name", "Ada L.", "--email", "Ada@x.org"]
    )
    #expect(published.exitCode == .success, "\(published.err)")
    #expect(published.out.contains("ada@x.org") && published.out.contains("\"discoverable\":true"))
    let found = await RpcctlRun(
      server,
      ["users", "find", "ada", "--email", "ADA@x.org", "--phone", "+4912345678"],
      as: "ben"
    )
    #expect(found.exitCode == .itemsFailed && found.lines.count == 3, "\(found.out) \(found.err)")
    #expect(found.lines.prefix(2).allSatisfy { $0.contains("Ada L.") })
    let shown = await RpcctlRun(server, ["users", "published"], format: .table)
    #expect(shown.out.contains("Ada L.") && shown.out.contains("ada@x.org"))
    let withdrawn = await RpcctlRun(server, ["users", "withdraw"])
    #expect(withdrawn.exitCode == .success)
    #expect(withdrawn.out.contains("\"discoverable\":false"))
    let none = await RpcctlRun(server, ["users", "published"], format: .table)
    #expect(none.out == "not in the directory\n")
    let nobody = await RpcctlRun(server, ["users", "find"], as: "ben")
    #expect(nobody.exitCode == .success && nobody.lines.isEmpty)
  }
}
