internal import TestSupport
internal import Testing
internal import TidingsJSON
internal import TidingsProto

@testable import rpcctl

/// What rpcctl prints for programs, against a real server.
@Suite(.endsServers) struct ResultDocumentTests {
  private let server: TestServer

  init() async throws { server = try await TestServer.start() }

  private func save(_ names: [String], _ arguments: String...) async {
    for name in names {
      let run = await RpcctlRun(
        server,
        ["records", "set", name, "price:=1", "--type", "Houses"] + arguments
      )
      #expect(run.exitCode == .success, "\(run.err)")
    }
  }

  @Test("the pages of a feed are one document with --all, which the last token ends")
  func feed() async throws {
    await save(["a", "b", "c"])
    let page = await RpcctlRun(server, ["fetch-zone-changes", "--limit", "1", "-o", "json"])
    let start = try #require(try JSONValue(parsing: page.out).object?["changeToken"]?.string)
    #expect(await RpcctlRun(server, ["records", "delete", "b"]).exitCode == .success)
    await save(["d"])
    let all = await RpcctlRun(
      server,
      ["fetch-zone-changes", "--since", start, "--all", "--limit", "1", "-o", "json"]
    )
    let document = try JSONValue(parsing: all.out)
    let names = document.object?["changedRecords"]?.array?.map { $0.object?["recordName"]?.string }
    #expect(names == ["c", "d"])
    #expect(document.object?["deletedRecords"]?.array?.count == 1)
    #expect(document.object?["moreComing"] == .bool(false))
    let token = try #require(document.object?["changeToken"]?.string)
    let rest = await RpcctlRun(server, ["fetch-zone-changes", "--since", token, "-o", "json"])
    let next = try JSONValue(parsing: rest.out)
    #expect(next.object?["changedRecords"]?.array == [])

    let zones = ["x", "y", "z"]
    #expect(await RpcctlRun(server, ["zones", "create"] + zones).exitCode == .success)
    let database = await RpcctlRun(
      server,
      ["fetch-database-changes", "--all", "--limit", "1", "-o", "json"]
    )
    let changed = try JSONValue(parsing: database.out).object?["changedZones"]?.array
    #expect(changed?.compactMap(\.string).filter(zones.contains) == zones)
  }

  @Test("a query goes on at its cursor wherever the container and the database are named")
  func cursors() async throws {
    let names = ["a", "b", "c"]
    await save(names, "--database", "public", "--container", "shop")
    let query = ["query", "Houses", "--sort", "recordName", "--limit", "1", "-o", "json"]
    let position = ["--database", "public", "--container", "shop"]
    let variables = [
      "RPCCTL_DATABASE": "public", "RPCCTL_CONTAINER": "shop", "RPCCTL_OWNER": "ada",
    ]
    let first = try JSONValue(parsing: await RpcctlRun(server, query + position).out)
    let cursor = try #require(first.object?["cursor"]?.string)
    func rest(_ run: RpcctlRun) throws -> [String?] {
      #expect(run.exitCode == .success, "\(run.err)")
      return try JSONValue(parsing: run.out).object?["records"]?.array?
        .map { $0.object?["recordName"]?.string } ?? []
    }
    let more = ["query", "--cursor", cursor, "-o", "json"]
    #expect(try rest(await RpcctlRun(server, more + position)) == ["b", "c"])
    #expect(try rest(await RpcctlRun(server, more, environment: variables)) == ["b", "c"])
    #expect(try rest(await RpcctlRun(server, more)) == ["b", "c"])
    let refused = await RpcctlRun(server, more + ["--where", "price = 1"])
    #expect(refused.exitCode == .usage)
  }

  @Test("who deletes a zone that is not there is not advised to create it")
  func missingZone() async {
    let deleted = await RpcctlRun(server, ["zones", "delete", "nothing"])
    #expect(deleted.exitCode == .itemsFailed)
    #expect(deleted.out.contains("ZONE_NOT_FOUND") && deleted.out.contains("nothing to delete"))
    #expect(!deleted.out.contains("create it"), "\(deleted.out)")
    let shared = await RpcctlRun(server, ["zones", "delete", "nothing", "--database", "public"])
    #expect(!shared.out.contains("so use that"), "\(shared.out)")
  }

  @Test("the code of an error is the exit code, whatever failed; the item's stands beside it")
  func errors() async throws {
    func failure(_ arguments: String...) async throws -> (RpcctlRun, JSONObject) {
      let run = await RpcctlRun(server, arguments + ["-o", "json"])
      return (run, try #require(try JSONValue(parsing: run.err).object))
    }
    func check(
      _ failure: (run: RpcctlRun, object: JSONObject),
      _ code: Int32,
      _ status: String,
      item: Int? = nil,
      _ reason: String
    ) {
      #expect(failure.run.exitCode.rawValue == code, "\(failure.run.err)")
      #expect(failure.object["code"] == .integer(code))
      #expect(failure.object["status"]?.string == status)
      #expect(failure.object["itemCode"] == item.map { .integer($0) })
      #expect(failure.object["reason"]?.string == reason)
      #expect(failure.object["message"]?.string?.isEmpty == false)
    }
    check(
      try await failure("query", "Houses", "--zone", "none"),
      4,
      "NOT_FOUND",
      item: 26,
      "ZONE_NOT_FOUND"
    )
    check(
      try await failure("fetch-zone-changes", "none"),
      4,
      "ITEMS_FAILED",
      item: 26,
      "ZONE_NOT_FOUND"
    )
    check(try await failure("query", "Houses", "--no-such-option"), 2, "USAGE", "USAGE")
    check(try await failure("fetch-records"), 2, "USAGE", "USAGE")
    check(
      try await failure("modify-records", "--save", "@nowhere"),
      1,
      "LOCAL_FAILURE",
      "LOCAL_FAILURE"
    )
  }
}
