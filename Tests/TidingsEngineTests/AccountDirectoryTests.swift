internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsKeys
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct AccountDirectoryTests {
  private static func key(_ number: UInt8) -> PublicKey {
    // Of 32 bytes there always is one.
    PublicKey([UInt8](repeating: number, count: 32))!
  }

  private func code(_ body: () throws -> Void) throws -> ItemError.Code? {
    do {
      try body()
      return nil
    } catch let error as ItemError { return error.code }
  }

  @Test("accounts are what the model says, over restarts and what is rolled back")
  func model() throws {
    let seed = Seed.make("accounts")
    var random = SplitMix64(seed: seed)
    var limits = Limits()
    (limits.usersMax, limits.keysPerUserMax, limits.guestKeysMax) = (5, 3, 2)
    let harness = try ZoneStore(limits: limits)
    let users = ["ada", "bob", "cy", "dora", "e.e", "f-f"]
    let keys = (1...14).map { Self.key($0) }
    var model = AccountModel()
    var refusedCount = 0
    for round in 0..<400 {
      harness.time += Int64.random(in: 0...4_000, using: &random)
      let (before, now) = (model, harness.time)
      let isRolledBack = Int.random(in: 0..<5, using: &random) == 0
      let body: (Engine) throws -> Void = { engine in
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let step = AccountStep.random(users: users, keys: keys, now: now, using: &random)
          let expected = model.apply(step, at: now, limits)
          if expected == .serverRejectedRequest { refusedCount += 1 }
          let found = try code { try step.perform(on: engine) }
          #expect(found == expected, "seed \(seed) round \(round) \(step)")
        }
        try check(engine, model, keys, users, "seed \(seed) round \(round) open")
      }
      if isRolledBack {
        try harness.takeBack(body)
        model = before
      } else {
        try harness.commit(body)
      }
      if Int.random(in: 0..<10, using: &random) == 0 { try harness.restart() }
      try check(harness.engine, model, keys, users, "seed \(seed) round \(round)")
      for key in keys {
        let time = Timestamp(millisecondsSince1970: harness.time)
        let isAdmitted =
          harness.engine.access.accounts.admittedKeys.number(of: key, at: time) != nil
        let expected = model.keys[key].map { model.isUsable($0, at: harness.time) } ?? false
        #expect(isAdmitted == expected, "seed \(seed) round \(round) \(key)")
      }
    }
    #expect(refusedCount > 0, "seed \(seed)")
  }

  private func check(
    _ engine: Engine,
    _ model: AccountModel,
    _ keys: [PublicKey],
    _ users: [String],
    _ comment: Comment
  ) throws {
    let listed = try engine.accounts(after: "", limit: 100).accounts
    #expect(listed.map(\.name) == model.users.keys.sorted(), comment)
    for account in listed {
      let user = try #require(model.users[account.name], comment)
      #expect(account.displayName == user.displayName, comment)
      #expect((account.restricted != nil) == user.isRestricted, comment)
      #expect(account.roles == user.roles.sorted(), comment)
      #expect(try engine.access.accounts.roles(of: account.name) == user.roles, comment)
    }
    for key in listed.flatMap(\.keys) + (try engine.guestKeys()) {
      let expected = try #require(model.keys[key.publicKey], comment)
      #expect(key.expires?.millisecondsSince1970 == expected.expires, comment)
      #expect((key.revoked != nil) == expected.isRevoked, comment)
      let isRestricted = model.users[expected.user]?.isRestricted ?? false
      let isExpired =
        expected.expires.map { Timestamp(millisecondsSince1970: $0) <= engine.time.timeOfDay }
        ?? false
      switch try engine.standing(ofKey: key.number) {
      case .admitted(let user):
        #expect(
          user == expected.user && !expected.isRevoked && !isExpired && !isRestricted,
          comment
        )
      case .restricted(let user):
        #expect(user == expected.user && !expected.isRevoked && !isExpired && isRestricted, comment)
      case .expired(let user, _): #expect(user == expected.user && isExpired, comment)
      case .revoked(let user, _): #expect(user == expected.user && expected.isRevoked, comment)
      case .unknown: Issue.record("\(key.publicKey) is not known; \(comment)")
      }
    }
    #expect(try engine.standing(ofKey: 1_000) == .unknown, comment)
  }

  @Test(
    "names, roles, texts and keys that are not valid are refused",
    arguments: [
      AccountRequest(""), AccountRequest("-a"), AccountRequest("a b"), AccountRequest("ä"),
      AccountRequest(String(repeating: "a", count: 65)), AccountRequest("a\0b"),
      AccountRequest("a", displayName: "a\u{1B}[2J"),
      AccountRequest("a", displayName: String(repeating: "a", count: 256)),
      AccountRequest("a", roles: [""]), AccountRequest("a", roles: ["_world"]),
      AccountRequest("a", roles: ["/editor"]), AccountRequest("a", roles: ["a/"]),
      AccountRequest("a", quota: Quota(recordsMax: -1)),
      AccountRequest("a", key: KeyRequest(key(1), label: "a\n")),
    ]
  )
  func refused(request: AccountRequest) throws {
    let harness = try ZoneStore()
    try harness.commit { engine in
      let code = try code { _ = try engine.createUser(request) }
      #expect(code == .invalidArguments)
      #expect(try engine.accounts(after: "", limit: 10).accounts.isEmpty)
    }
    #expect(harness.engine.access.accounts.admittedKeys.number(of: Self.key(1)) == nil)
  }

  @Test("the first administrator is created once, and again when none can call")
  func firstAdministrator() throws {
    let harness = try ZoneStore()
    let expires = Timestamp(millisecondsSince1970: harness.time + 1_000)
    try harness.commit { engine in
      let ada = try engine.createAdministrator(
        "ada",
        key: KeyRequest(Self.key(1), expires: expires)
      )
      #expect(ada.roles == ["admin"] && ada.keys.map(\.publicKey) == [Self.key(1)])
      let again = try code { try engine.createAdministrator("bob", key: KeyRequest(Self.key(2))) }
      #expect(again == .serverRejectedRequest)
    }
    harness.time += 1_000
    try harness.commit { engine in
      let ada = try engine.createAdministrator("ada", key: KeyRequest(Self.key(2)))
      #expect(ada.roles == ["admin"] && ada.keys.map(\.publicKey) == [Self.key(1), Self.key(2)])
    }
  }

  @Test("an administrator whose key does not expire remains")
  func lastingAdministrator() throws {
    let harness = try ZoneStore()
    let expires = Timestamp(millisecondsSince1970: harness.time + 1_000)
    try harness.commit { engine in
      let lasting = KeyRequest(Self.key(1))
      _ = try engine.createAdministrator("ada", key: lasting)
      _ = try engine.createUser(AccountRequest("bob", roles: ["admin"]))
      _ = try engine.authorizeKey(KeyRequest(Self.key(2), expires: expires), of: "bob")
      let acts: [() throws -> Void] = [
        { _ = try engine.authorizeKey(KeyRequest(Self.key(1), expires: expires), of: "ada") },
        { _ = try engine.revokeKey(Self.key(1)) },
        { _ = try engine.updateUser("ada", AccountChange(isRestricted: true)) },
        { _ = try engine.assignRoles([], to: "ada") },
      ]
      for act in acts { #expect(try code(act) == .serverRejectedRequest) }
      #expect(try engine.administration == .lasting)
      _ = try engine.authorizeKey(KeyRequest(Self.key(3)), of: "bob")
      try acts[0]()
      try acts[1]()
      #expect(try engine.administration == .lasting)
    }
  }

  @Test("where all keys of administrators expire already, they can be extended")
  func extendedAdministrator() throws {
    let harness = try ZoneStore()
    func time(_ more: Int64) -> Timestamp { .init(millisecondsSince1970: harness.time + more) }
    try harness.commit { engine in
      let key = Self.key(1)
      _ = try engine.createAdministrator("ada", key: KeyRequest(key, expires: time(1_000)))
      #expect(try engine.administration == .until(time(1_000)))
      _ = try engine.authorizeKey(KeyRequest(key, expires: time(2_000)), of: "ada")
      #expect(try engine.administration == .until(time(2_000)))
      #expect(try code { _ = try engine.revokeKey(key) } == .serverRejectedRequest)
    }
    harness.time += 2_000
    #expect(try harness.commit { try $0.administration } == .impossible)
  }

  @Test("calls with refused keys are decided without the store")
  func refusedFromMemory() throws {
    let harness = try ZoneStore()
    let expires = Timestamp(millisecondsSince1970: harness.time + 1_000)
    var numbers: [Int64] = []
    try harness.commit { engine in
      _ = try engine.createUser(AccountRequest("ada"))
      for (key, expires) in [(Self.key(1), nil), (Self.key(2), expires), (Self.key(3), nil)] {
        _ = try engine.authorizeKey(KeyRequest(key, expires: expires), of: "ada")
      }
      numbers = try engine.account("ada").keys.map(\.number)
    }
    try harness.commit { _ = try $0.revokeKey(Self.key(1)) }
    let revoked = Timestamp(millisecondsSince1970: harness.time)
    harness.time += 2_000
    try harness.takeBack { _ = try $0.revokeKey(Self.key(3)) }
    func check() throws {
      let engine = harness.engine
      #expect(try engine.standing(ofKey: numbers[0]) == .revoked("ada", since: revoked))
      #expect(try engine.standing(ofKey: numbers[1]) == .expired("ada", since: expires))
      #expect(try engine.standing(ofKey: numbers[2]) == .admitted("ada"))
      #expect(try engine.standing(ofKey: 1_000) == .unknown)
      for (number, key) in zip(numbers, [1, 2, 3]) {
        let holder = try #require(try engine.holder(ofKey: number))
        #expect(holder.user == "ada" && holder.publicKey == Self.key(UInt8(key)))
      }
    }
    try check()
    try harness.restart()
    try harness.commit { _ in try check() }
    try harness.execute("DELETE FROM account_keys")
    try check()
  }

  @Test("what is remembered of refused keys is bounded")
  func refusedAreBounded() {
    var keys = RevokedKeys()
    var readCount = 0
    for number in 0..<Int64(2 * RevokedKeys.keysMax + 1) {
      for _ in 0..<2 {
        let entry = keys.entry(of: number) {
          readCount += 1
          return nil
        }
        #expect(entry == nil)
      }
    }
    #expect(readCount == 2 * RevokedKeys.keysMax + 1)
    _ = keys.entry(of: 0) {
      readCount += 1
      return nil
    }
    #expect(readCount == 2 * RevokedKeys.keysMax + 2)
  }

  @Test("of the revoked keys of a user the newest are listed, and the user can have new ones")
  func manyRevoked() throws {
    var limits = Limits()
    limits.keysPerUserMax = 3
    let harness = try ZoneStore(limits: limits)
    try harness.commit { engine in
      _ = try engine.createUser(AccountRequest("ada"))
      for number in 1...20 {
        _ = try engine.authorizeKey(KeyRequest(Self.key(UInt8(number))), of: "ada")
        if number <= 17 { _ = try engine.revokeKey(Self.key(UInt8(number))) }
      }
      let keys = try engine.account("ada").keys.map(\.publicKey)
      #expect(keys == (15...20).map { Self.key($0) })
    }
  }
}
