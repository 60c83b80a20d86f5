internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Participants who change a share for its owner.
@Suite(.endsServers) struct ShareAdministratorTests {
  private typealias World = SharingWorld

  private static let denied = TidingsV1.ErrorCode.permissionFailure.rawValue
  private static let invalid = TidingsV1.ErrorCode.invalidArguments.rawValue

  /// A world in which ben administers ada's share, and the share's URL.
  private func administered() async throws -> (World, url: String) {
    let world = try await World()
    let url = try await world.shareTrip()
    try await world.change("s") { $0.setAdministrators(["ben"], to: true) }
    return (world, url)
  }

  @Test(
    "an administrator changes participants, permission, title and answers requests, like the owner"
  )
  func administers() async throws {
    let (world, url) = try await administered()
    #expect(
      try await World.change(as: world.ben) { share in
        share.allowsAccessRequests = true
        share.participants.append(.init(userRecordName: "dora", permission: .readOnly))
      } == 0
    )
    let dora = try await world.server.client(as: "dora")
    #expect(try await World.acceptanceCode(of: url, by: dora) == 0)
    #expect(try await World.request(url, by: world.cleo) == 0)
    let answered = try await world.ben.shares.change(World.theirID("s")) { share in
      share.grantAccess(to: ["cleo"], .readWrite)
      share.addInvitation(id: "guest", .readOnly)
      share.publicPermission = .readOnly
    }
    #expect(answered.modified?.userRecordName == "ben")
    #expect(try await World.acceptanceCode(of: url, by: world.cleo) == 0)
    let oneTime = try #require(answered.share?.oneTimeURL(for: "guest"))
    let emil = try await world.server.client(as: "emil")
    #expect(try await World.acceptanceCode(of: oneTime, by: emil) == 0)
    let titled = try await world.ben.shares.changeRecord(World.theirID("s")) { record in
      record.fields["title"] = "Ours"
    }
    #expect(titled.fields["title"] == "Ours")
    #expect(
      try await world.stored("s").share?.participants.map(\.userRecordName)
        == ["ada", "ben", "dora", "cleo", "emil"]
    )
    // Who is removed has nothing at once.
    #expect(
      try await World.change(as: world.ben) { share in
        share.participants.removeAll { $0.userRecordName == "dora" }
      } == 0
    )
    #expect(try await World.seen(["trip"], by: dora) == ["26"])
    // Across a restart too.
    try await world.server.stop()
    let again = try await World(continuing: world.server.restarted())
    #expect(try await World.change(as: again.ben) { $0.publicPermission = .none } == 0)
  }

  @Test(
    "what holds for the owner's save holds for the administrator's: tags, limits, and what it is for"
  )
  func rules() async throws {
    let (world, _) = try await administered()
    var stale = try await World.theirShare(world.ben)
    try await world.change("s") { $0.publicPermission = .readOnly }
    let conflict = try await world.ben.modifyShared([stale])[0]
    #expect(conflict.error?.code == .serverRecordChanged, "\(conflict)")
    #expect(conflict.serverRecord?.share?.publicPermission == .readOnly)
    stale.changeTag = ""
    #expect(try await world.ben.modifyShared([stale])[0].error?.code == .serverRecordChanged)
    let many = try await World.change(as: world.ben) { share in
      share.participants += (0..<100).map { .init(userRecordName: "u\($0)", permission: .readOnly) }
    }
    #expect(many == TidingsV1.ErrorCode.tooManyParticipants.rawValue)
    #expect(try await World.change(as: world.ben) { $0.rootRecordName = "day" } == Self.invalid)
    #expect(
      try await World.change(as: world.ben) { share in
        share.participants.append(.init(userRecordName: "ada", permission: .readOnly))
      } != 0
    )
    // Saved without its owner, it has its owner.
    #expect(
      try await World.change(as: world.ben) { share in
        share.participants.removeAll { $0.userRecordName == "ada" }
      } == 0
    )
    #expect(try await world.stored("s").share?.participants.first?.role == .owner)
  }

  @Test("only the owner makes, changes and removes administrators, and ends the share")
  func bounds() async throws {
    let (world, url) = try await administered()
    try await world.change("s") { share in
      share.grantAccess(to: ["cleo"], .readWrite)
      share.setAdministrators(["cleo"], to: true)
    }
    _ = try await world.accept(url, by: world.cleo)
    let ben = world.ben
    #expect(
      try await World.change(as: ben) { share in
        share.participants.append(
          .init(userRecordName: "dora", role: .administrator, permission: .readWrite)
        )
      } == Self.denied
    )
    #expect(
      try await World.change(as: ben) { $0.setAdministrators(["cleo"], to: false) } == Self.denied
    )
    for user in ["cleo", "ben"] {
      #expect(
        try await World.change(as: ben) { share in
          share.participants.removeAll { $0.userRecordName == user }
        } == Self.denied
      )
    }
    #expect(try await World.change(as: ben) { $0.block(["cleo"]) } == Self.denied)
    var elsewhere = World.share("t", of: "day")
    elsewhere.recordID?.zoneID?.ownerName = "ada"
    #expect(World.code(try await ben.modifyShared([elsewhere])[0]) == Self.denied)
    // Its deletion is leaving, and whoever comes back is no administrator.
    #expect(World.code(try await ben.modifyShared(delete: ["s"])[0]) == 0)
    #expect(try await World.seen(["trip"], by: world.cleo) == ["ada/trip"])
    #expect(try await World.seen(["trip"], by: ben) == ["26"])
    #expect(try await World.acceptanceCode(of: url, by: ben) == 0)
    #expect(try await World.change(as: ben) { $0.publicPermission = .readOnly } == Self.denied)
  }

  @Test("participants do not administer; who is demoted, or not there yet, neither")
  func demotion() async throws {
    let (world, url) = try await administered()
    try await world.change("s") { share in
      share.participants.append(.init(userRecordName: "cleo", permission: .readWrite))
      share.participants.append(
        .init(userRecordName: "dora", role: .administrator, permission: .readWrite)
      )
    }
    _ = try await world.accept(url, by: world.cleo)
    #expect(
      try await World.change(as: world.cleo) { $0.publicPermission = .readOnly } == Self.denied
    )
    // An invitation does not make an administrator before it is accepted.
    let dora = try await world.server.client(as: "dora")
    var invited = try await world.stored("s")
    invited.recordID = World.theirID("s")
    #expect(World.code(try await dora.modifyShared([invited])[0]) == 26)
    let found = try await dora.shares.metadata(of: [url])
    guard case .metadata(let metadata)? = found.first?.outcome else {
      throw WaitingFailure(description: "\(found)")
    }
    #expect(metadata.share?.share?.participants.map(\.userRecordName) == ["ada", "dora"])

    let before = try await World.theirShare(world.ben)
    try await world.change("s") { $0.setAdministrators(["ben"], to: false) }
    #expect(World.code(try await world.ben.modifyShared([before])[0]) == Self.denied)
    #expect(
      try await World.change(as: world.ben) { $0.publicPermission = .readOnly } == Self.denied
    )
    #expect(World.code(try await world.ben.modifyShared([World.theirs("day")])[0]) == 0)
    try await world.server.stop()
    let again = try await World(continuing: world.server.restarted())
    #expect(
      try await World.change(as: again.ben) { $0.publicPermission = .readOnly } == Self.denied
    )
    #expect(
      try await again.stored("s").share?.publicPermission == TidingsV1.ParticipantPermission.none
    )
  }

  @Test("an administrator reads and writes; the answer of before shows a demoted one no secrets")
  func permissionAndRepetition() async throws {
    let (world, url) = try await administered()
    var readOnly = try await world.stored("s")
    readOnly.share?.participants[1].permission = .readOnly
    #expect(World.code(try await world.ada.modify([readOnly])[0]) == Self.invalid)
    #expect(
      try await World.change(as: world.ben) { $0.allowsAccessRequests = true } == 0
    )
    #expect(try await World.request(url, by: world.cleo) == 0)
    var record = try await World.theirShare(world.ben)
    record.share?.addInvitation(id: "guest", .readOnly)
    let first = try await world.ben.modifyShared([record], key: "once")
    #expect(World.code(first[0]) == 0)
    let conflict = try await world.ben.modifyShared([record], key: "twice")
    #expect("\(conflict)".contains("cleo"))
    try await world.change("s") { $0.setAdministrators(["ben"], to: false) }
    let again = try await world.ben.modifyShared([record], key: "once")
    #expect(World.code(again[0]) == 0)
    let conflictAgain = try await world.ben.modifyShared([record], key: "twice")
    for answer in [again, conflictAgain] {
      for secret in ["cleo", "guest"] { #expect(!"\(answer)".contains(secret), "\(answer)") }
    }
  }
}
