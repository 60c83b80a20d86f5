internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

@testable import rpcctl

/// Shares through rpcctl's verbs for records, files and zones.
@Suite(.endsServers) struct ShareTransferTests {
  private let server: TestServer
  private let folder: TemporaryFolder

  init() async throws {
    (server, folder) = (try await TestServer.start(), try TemporaryFolder())
    await expect("zones", "create", "family")
    await expect("records", "set", "list1", "text=milk", "--type", "Lists", "--zone", "family")
  }

  @discardableResult
  private func expect(
    _ arguments: String...,
    on other: TestServer? = nil,
    as user: String = "ada"
  ) async -> RpcctlRun {
    let run = await RpcctlRun(other ?? server, arguments, as: user)
    #expect(run.exitCode == .success, "\(arguments) \(run.out) \(run.err)")
    return run
  }

  /// A share of list1 that ben and cleo were invited to, and dora joined with its URL.
  private func shareList() async throws -> String {
    let made = await expect(
      "shares",
      "create",
      "--zone",
      "family",
      "--root",
      "list1",
      "--share",
      "s",
      "--title",
      "Lists",
      "--invite",
      "ben:read-write",
      "cleo",
      "--public",
      "read-only"
    )
    let url = try #require(
      try JSONValue(parsing: made.out).object?["share"]?.object?["url"]?.string
    )
    for user in ["ben", "dora"] { await expect("shares", "accept", url, as: user) }
    return url
  }

  private func share(
    _ name: String = "s",
    zone: String = "family",
    on other: TestServer? = nil,
    as user: String = "ada"
  ) async throws -> TidingsV1.Record? {
    let client = try await (other ?? server).client(as: user)
    return try await client.fetch([.init(name, zone: zone)]).first?.record
  }

  /// Who takes part and how, without the owner.
  private func participants(_ record: TidingsV1.Record?) -> [String] {
    (record?.share?.participants ?? []).filter { $0.role != .owner }.map { participant in
      "\(participant.userRecordName) \(ShareJSON.role(participant)) "
        + "\(ShareJSON.name(participant.permission)) \(ShareJSON.status(participant))"
    }
    .sorted()
  }

  private let own = [
    "ben PRIVATE_USER READ_WRITE ACCEPTED", "cleo PRIVATE_USER READ_ONLY PENDING",
    "dora PUBLIC_USER READ_ONLY ACCEPTED",
  ]
  private let copied = [
    "ben PRIVATE_USER READ_WRITE PENDING", "cleo PRIVATE_USER READ_ONLY PENDING",
  ]

  @Test("a share that was got is put as it was, with its participants and its title")
  func getAndPut() async throws {
    let url = try await shareList()
    let path = folder.file("share.json")
    let got = await expect("records", "get", "s", "list1", "--zone", "family")
    try folder.write(Array(got.out.utf8), to: "share.json")
    await expect("records", "put", path)
    let stored = try await share()
    #expect(participants(stored) == own && stored?.share?.url == url)
    #expect(stored?.fields["title"] == "Lists")
    await expect("records", "set", "s", "title=Shopping", "--zone", "family")
    #expect(try await share()?.fields["title"] == "Shopping")
    #expect(participants(try await share()) == own)
  }

  @Test("the title of a share is set and removed by a verb, and nothing else changes")
  func title() async throws {
    _ = try await shareList()
    let set = await expect(
      "shares",
      "set-title",
      "Milk and more",
      "--zone",
      "family",
      "--root",
      "list1"
    )
    #expect(set.out.contains("Milk and more"))
    #expect(try await share()?.fields["title"] == "Milk and more")
    await expect("shares", "set-title", "", "--zone", "family", "--share", "s")
    let stored = try await share()
    #expect(stored?.fields["title"] == nil && participants(stored) == own)
    let refused = await RpcctlRun(server, ["shares", "set-title", "--zone", "family"])
    #expect(refused.exitCode == .usage)
  }

  @Test("an export has shares, and an import makes them, again or over what is there")
  func exportAndImport() async throws {
    let url = try await shareList()
    // The share now comes before its root in the file.
    await expect("records", "set", "list1", "text=bread", "--zone", "family")
    let path = folder.file("family.jsonl")
    await expect("export", "--zone", "family", "-O", path)

    let other = try await TestServer.start()
    await expect("import", path, on: other)
    let made = try await share(on: other)
    #expect(participants(made) == copied && made?.share?.rootRecordName == "list1")
    #expect(made?.share?.publicPermission == .readOnly && made?.fields["title"] == "Lists")
    #expect(made?.share?.url.isEmpty == false && made?.share?.url != url)
    let root = try await share("list1", on: other)
    #expect(root?.shareRecordName == "s" && root?.fields["text"] == "bread")
    // Somebody else's import is that one's own share.
    await expect("import", path, on: other, as: "eve")
    #expect(participants(try await share(on: other, as: "eve")) == copied)

    // Over what is there: as in the file again.
    await expect("shares", "remove", "cleo", "--zone", "family", "--share", "s")
    await expect("shares", "set-title", "Other", "--zone", "family", "--share", "s")
    await expect("import", path)
    let again = try await share()
    #expect(participants(again) == own && again?.fields["title"] == "Lists")
    #expect(again?.share?.url == url)
    let only = await RpcctlRun(server, ["import", path, "--policy", "if-unchanged"])
    #expect(only.exitCode == .itemsFailed)
  }

  @Test("a copy of a zone has its shares, follows their changes, and repeats nothing")
  func copyZone() async throws {
    let url = try await shareList()
    await expect("zones", "copy", "family", "kin")
    let made = try await share(zone: "kin")
    #expect(participants(made) == copied && made?.fields["title"] == "Lists")
    let copyURL = try #require(made?.share?.url)
    #expect(copyURL != url)
    let again = await expect("zones", "copy", "family", "kin")
    #expect(again.out == #"{"saved":0,"deleted":0,"unchanged":2,"failed":0}"# + "\n")

    await expect("shares", "accept", copyURL, as: "fay")
    await expect("shares", "add", "gus", "--zone", "family", "--share", "s")
    await expect("zones", "copy", "family", "kin")
    #expect(
      participants(try await share(zone: "kin"))
        == copied + ["fay PUBLIC_USER READ_ONLY ACCEPTED", "gus PRIVATE_USER READ_ONLY PENDING"]
    )
    // An invited user's own copy cannot invite its owner.
    await expect("zones", "copy", "family", "--to-as", "ben")
    #expect(
      participants(try await share(as: "ben"))
        == ["cleo PRIVATE_USER READ_ONLY PENDING", "gus PRIVATE_USER READ_ONLY PENDING"]
    )
    let open = await expect("zones", "copy", "family", "_defaultZone", "--to-database", "public")
    #expect(open.out.contains(#""failed":0"#) && open.err.contains("1 share not copied"))
  }
}
