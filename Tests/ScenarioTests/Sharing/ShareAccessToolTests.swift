internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

@testable import rpcctl

/// Access requests, one-time URLs and administrators through rpcctl.
@Suite(.endsServers) struct ShareAccessToolTests {
  private let world: SharingWorld
  private let url: String

  init() async throws {
    world = try await SharingWorld()
    url = try await world.shareTrip()
  }

  @discardableResult
  private func run(
    _ arguments: String...,
    as user: String = "ada",
    code: ExitCode = .success
  ) async -> RpcctlRun {
    let run = await RpcctlRun(world.server, arguments, as: user)
    #expect(run.exitCode == code, "\(arguments) \(run.out) \(run.err)")
    return run
  }

  @Test("a request is made, listed, granted, denied and blocked")
  func requests() async throws {
    let which = ["--zone", "trips", "--share", "s"]
    @discardableResult
    func share(_ arguments: String..., code: ExitCode = .success) async -> RpcctlRun {
      let run = await RpcctlRun(world.server, ["shares"] + arguments + which, as: "ada")
      #expect(run.exitCode == code, "\(arguments) \(run.out) \(run.err)")
      return run
    }
    let closed = await run("shares", "request-access", url, as: "cleo", code: .itemsFailed)
    #expect(closed.out.contains("UNKNOWN_ITEM"), "\(closed.out)")
    await share("set-requests", "on")
    for user in ["cleo", "dora", "emil"] {
      let asked = await run("shares", "request-access", url, as: user)
      #expect(asked.out.contains("requested"), "\(asked.out)")
    }
    let table = await share("requests", "-o", "table")
    #expect(table.out.contains("cleo") && table.out.contains("waiting"), "\(table.out)")
    await share("grant", "cleo:read-write")
    await share("deny", "dora")
    await share("block", "emil")
    let left = await share("requests")
    #expect(left.out.contains("emil") && left.out.contains("blocked"), "\(left.out)")
    #expect(!left.out.contains("cleo") && !left.out.contains("dora"), "\(left.out)")
    await share("unblock", "emil")
    await run("shares", "accept", url, as: "cleo")
    let stored = try #require(try await world.stored("s").share)
    #expect(stored.blockedUserRecordNames == [] && stored.requesters == [])
    #expect(stored.participants.last?.permission == .readWrite)
    await share("set-requests", "maybe", code: .usage)
  }

  @Test("a one-time URL is made, shown again, taken and withdrawn")
  func oneTimeURLs() async throws {
    let which = ["--zone", "trips", "--share", "s"]
    var made: [(id: String, url: String)] = []
    for arguments in [["read-write", "--expires", "7d"], []] {
      let run = await RpcctlRun(
        world.server,
        ["shares", "invite"] + arguments + which,
        as: "ada"
      )
      let object = try JSONValue(parsing: run.out).object
      made.append(
        (
          try #require(object?["participantID"]?.string),
          try #require(object?["oneTimeURL"]?.string)
        )
      )
      #expect((object?["expires"] != nil) == !arguments.isEmpty)
    }
    let shown = await run("shares", "show", "--zone", "trips", "--share", "s", "-o", "table")
    for invitation in made {
      #expect(shown.out.contains(invitation.url), "\(shown.out)\(shown.err)")
    }
    await run("shares", "accept", made[0].url, as: "cleo")
    await run("shares", "accept", made[0].url, as: "dora", code: .itemsFailed)
    await run("shares", "remove", made[1].id, "--zone", "trips", "--share", "s")
    await run("shares", "accept", made[1].url, as: "dora", code: .itemsFailed)
    let users = try await world.stored("s").share?.participants.map(\.userRecordName)
    #expect(users == ["ada", "ben", "cleo"])
    await run("shares", "invite", "none", "--zone", "trips", "--share", "s", code: .usage)
    await run("shares", "invite", "--expires", "soon", "--zone", "trips", code: .usage)
  }

  @Test("an administrator changes the share with --database shared")
  func administrators() async throws {
    await run("shares", "set-role", "administrator", "ben", "--zone", "trips", "--share", "s")
    await run(
      "shares",
      "set-role",
      "administrator",
      "nobody",
      "--zone",
      "trips",
      "--share",
      "s",
      code: .usage
    )
    await run("shares", "set-role", "king", "ben", "--zone", "trips", "--share", "s", code: .usage)
    let theirs = ["--database", "shared", "--zone", "ada/trips", "--share", "s"]
    for arguments in [
      ["add", "cleo"], ["set-public", "read-only"], ["set-title", "Ours"], ["set-requests", "on"],
      ["invite"], ["requests"], ["show"], ["remove", "cleo"],
    ] {
      let run = await RpcctlRun(world.server, ["shares"] + arguments + theirs, as: "ben")
      #expect(run.exitCode == .success, "\(arguments) \(run.out) \(run.err)")
    }
    let end = await RpcctlRun(world.server, ["shares", "end"] + theirs, as: "ben")
    #expect(end.exitCode == .usage && end.err.contains("shares leave"), "\(end.err)")
    let stored = try await world.stored("s")
    #expect(stored.fields["title"] == "Ours")
    #expect(stored.share?.allowsAccessRequests == true)
    #expect(stored.share?.publicPermission == .readOnly)
    #expect(stored.share?.participants.count == 3)
    await run("shares", "set-role", "user", "ben", "--zone", "trips", "--share", "s")
    let refused = await RpcctlRun(
      world.server,
      ["shares", "set-public", "none"] + theirs,
      as: "ben"
    )
    #expect(refused.exitCode != .success)
    #expect((refused.out + refused.err).contains("PERMISSION_FAILURE"), "\(refused.err)")
  }

  @Test("what is got of a share is put again as it was; a copy has URLs and requests of its own")
  func transfer() async throws {
    try await world.change("s") { share in
      share.allowsAccessRequests = true
      share.setAdministrators(["ben"], to: true)
      share.block(["emil"])
      share.addInvitation(id: "guest", .readOnly)
    }
    _ = try await world.cleo.shares.requestAccess([url])
    let before = try await world.stored("s")
    let folder = try TemporaryFolder()
    let got = await run("records", "get", "s", "--zone", "trips")
    try folder.write(Array(got.out.utf8), to: "share.json")
    await run("records", "put", folder.file("share.json"))
    #expect(try await world.stored("s").share == before.share)

    await run("zones", "create", "copy")
    for _ in 0..<2 { await run("zones", "copy", "trips", "copy") }
    let copies = try await world.ada.fetch([.init("s", zone: "copy")])
    let copy = try #require(copies[0].record?.share, "\(copies)")
    #expect(copy.allowsAccessRequests)
    #expect(copy.requesters == [] && copy.blockedUserRecordNames == [])
    #expect(copy.participants.map(\.userRecordName) == ["ada", "ben"])
    #expect(copy.participants[1].role == .administrator)
  }
}
