import TestSupport
import Testing
import TidingsClient
import TidingsJSON
import TidingsProto

@testable import rpcctl

/// rpcctl's verbs for subscriptions and notifications, against a real server.
@Suite("Notifications by rpcctl", .endsServers) struct NotificationVerbTests {
  private let server: TestServer

  init() async throws { server = try await TestServer.start() }

  private func rpcctl(_ arguments: String..., table: Bool = false) async -> RpcctlRun {
    await RpcctlRun(server, arguments, format: table ? .table : .jsonl)
  }

  /// Saves a house from another device.
  private func save(_ name: String, price: Int) async {
    let record = #"{"recordType":"Houses","recordName":"\#(name)","fields":{"price":\#(price)}}"#
    let run = await rpcctl(
      "--device",
      "writer",
      "modify-records",
      "--policy",
      "all-keys",
      "--save",
      record
    )
    #expect(run.exitCode == .success, "\(run.err)\(run.out)")
  }

  private func subscribePricey() async {
    let run = await rpcctl(
      "modify-subscriptions",
      "--query",
      "Houses",
      "--where",
      "price > 100",
      "--id",
      "pricey",
      "--badge"
    )
    #expect(run.exitCode == .success, "\(run.err)\(run.out)")
  }

  private func member(_ name: String, of line: some StringProtocol) throws -> String? {
    try JSONValue(parsing: String(line)).object?[name].map { $0.string ?? $0.description }
  }

  // MARK: Subscriptions

  @Test("subscriptions of all kinds are saved, fetched, and saved again from what was printed")
  func kinds() async throws {
    let saved = [
      await rpcctl(
        "modify-subscriptions",
        "--query",
        "T",
        "--where",
        "a = 1",
        "--on",
        "enter,leave",
        "--alert-key",
        "K",
        "--alert-args",
        "a,b",
        "--collapse",
        "c",
        "--action-key",
        "A",
        "--id",
        "q"
      ),
      await rpcctl("modify-zones", "--save", "notes"),
      await rpcctl("modify-subscriptions", "--zone-changes", "notes", "--type", "T", "--id", "z"),
      await rpcctl(
        "modify-subscriptions",
        "--database-changes",
        "--content-available",
        "--id",
        "d"
      ),
    ]
    for run in saved { #expect(run.exitCode == .success, "\(run.out)\(run.err)") }
    let fetched = await rpcctl("fetch-subscriptions")
    try #require(fetched.lines.count == 3)
    #expect(
      try fetched.lines.map { try member("type", of: $0) } == ["DATABASE", "QUERY", "RECORD_ZONE"]
    )
    #expect(fetched.lines[1].contains(#""firesOnRecordEnter":true"#))
    #expect(fetched.lines[1].contains(#""alertLocalizationArgs":["a","b"]"#))
    #expect(try member("zoneName", of: fetched.lines[2]) == "notes")

    for line in fetched.lines {
      #expect(await rpcctl("modify-subscriptions", "--save", String(line)).exitCode == .success)
    }
    #expect(await rpcctl("fetch-subscriptions").out == fetched.out)
    let table = await rpcctl("fetch-subscriptions", table: true)
    #expect(table.out.hasPrefix("SUBSCRIPTION  KIND         RECORD TYPE  PREDICATE  ZONE "))
    #expect(table.out.contains("enter,leave"))
  }

  @Test("what is not allowed for a kind is refused by the server with what to do")
  func refusals() async {
    let once =
      #"{"subscriptionId":"z","type":"RECORD_ZONE","zoneName":"_defaultZone","firesOnce":true}"#
    let run = await rpcctl("modify-subscriptions", "--save", once)
    #expect(run.exitCode == .itemsFailed)
    #expect(run.out.contains("INVALID_ARGUMENTS"))
  }

  @Test("health shows when a subscription fired, how often, and what is unread")
  func health() async throws {
    await subscribePricey()
    await save("h1", price: 1)
    await save("h2", price: 200)
    let run = await rpcctl("fetch-subscriptions", "--health")
    try #require(run.lines.count == 1)
    let health = try JSONValue(parsing: run.out).object?["health"]?.object
    #expect(health?["firedCount"] == .integer(1), "\(run.out)\(run.err)")
    #expect(health?["evaluatedCount"] == .integer(2))
    #expect(health?["unreadCount"] == .integer(1))
    #expect(health?["subscriberCount"] == .integer(1))
    #expect(health?["lastFired"] != nil && health?["saved"] != nil)
    let table = await rpcctl("fetch-subscriptions", "--health", table: true)
    #expect(table.out.hasPrefix("SUBSCRIPTION  SAVED "))
    // What it prints can be saved.
    let saved = await rpcctl("modify-subscriptions", "--save", String(run.lines[0]))
    #expect(saved.exitCode == .success, "\(saved.out)\(saved.err)")
  }

  @Test("an explanation is a table with what fires, why, and what failed")
  func explain() async {
    await subscribePricey()
    let record = #"{"recordType":"Houses","recordName":"h","fields":{"price":90}}"#
    let table = await rpcctl("explain-subscriptions", "--record", record, table: true)
    #expect(
      table.out == """
        SUBSCRIPTION  FIRES  REASON  WHY
        pricey        no             price > 100 is false: the record has 90

        """
    )
    await save("h", price: 90)
    let rise = #"{"recordType":"Houses","recordName":"h","fields":{"price":101}}"#
    let saved = await rpcctl("explain-subscriptions", "--save", "pricey", "--record", rise)
    #expect(
      saved.out
        == #"{"subscriptionId":"pricey","fires":true,"reason":"RECORD_UPDATED","message":"the record is updated and matches"}"#
        + "\n"
    )
    let deleted = await rpcctl("explain-subscriptions", "--delete", "h")
    #expect(
      deleted.out.contains(#""failedTerm":"price > 100","expectedValue":"100","actualValue":"90""#)
    )
    let gone = await rpcctl("explain-subscriptions", "--delete", "nobody")
    #expect(gone.exitCode == .notFound && gone.err.contains("'nobody' does not exist"))
  }

  // MARK: Notifications

  @Test("a watch with a state file resumes where it was")
  func watchState() async throws {
    let file = server.folder.file("watch.state")
    await subscribePricey()
    await save("h1", price: 200)
    await save("h2", price: 200)
    let first = await rpcctl("--device", "w", "watch", "--state", file, "--count", "1")
    #expect(first.exitCode == .success && first.err.isEmpty, "\(first.err)")
    #expect(try first.lines.map { try member("recordName", of: $0) } == ["h1"])
    await save("h3", price: 200)
    let second = await rpcctl("--device", "w", "watch", "--state", file, "--count", "2")
    #expect(try second.lines.map { try member("recordName", of: $0) } == ["h2", "h3"])
    #expect(
      second.err == "rpcctl: resuming from the position in '\(file)'; no notifications are missed\n"
    )
  }

  @Test("a command that fails leaves its notification to the next watch of the file")
  func watchCommand() async throws {
    let file = server.folder.file("watch.state")
    let output = server.folder.file("out")
    await subscribePricey()
    await save("h1", price: 200)
    let failed = await rpcctl("--device", "w", "watch", "--state", file, "--exec", "exit 3")
    #expect(failed.exitCode == .commandFailed, "\(failed.err)")
    let again = await rpcctl(
      "--device",
      "w",
      "watch",
      "--state",
      file,
      "--count",
      "1",
      "--mark-read",
      "--exec",
      "cat >> \(output)"
    )
    #expect(again.exitCode == .success, "\(again.err)")
    let text = String(decoding: try server.folder.read("out"), as: UTF8.self)
    #expect(try member("recordName", of: text) == "h1")
    #expect(await rpcctl("fetch-notification-changes").lines.count == 1)
  }

  @Test("--since now begins with what comes, a token after it")
  func watchSince() async throws {
    await subscribePricey()
    await save("h1", price: 200)
    let page = await rpcctl("--device", "w", "fetch-notification-changes", "--all")
    let token = try #require(try member("changeToken", of: page.lines.last ?? ""))
    async let now = rpcctl("--device", "w", "watch", "--since", "now", "--count", "1")
    // The watch may begin after this save, and is notified of a later one.
    let hasHeard = Observed(false)
    let other = Task { [self] in
      var number = 2
      while !hasHeard.value {
        await save("h\(number)", price: 200)
        number += 1
        // Between two saves the watch has the processor.
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    let heard = await now
    // Cancelled, the task would interrupt the save that it is at.
    hasHeard.update { $0 = true }
    await other.value
    #expect(
      try member("recordName", of: heard.lines.first ?? "") != "h1",
      "\(heard.out)\(heard.err)"
    )
    let after = await rpcctl("--device", "w", "watch", "--since", token, "--count", "1")
    #expect(
      try member("recordName", of: after.lines.first ?? "") == "h2",
      "\(after.out)\(after.err)"
    )
  }

  @Test("a trace shows when a notification was committed, fetched and read, and by whom")
  func trace() async throws {
    await subscribePricey()
    await save("h1", price: 200)
    let page = await rpcctl("--device", "phone", "fetch-notification-changes")
    let id = try #require(try member("notificationId", of: page.lines.first ?? ""))
    _ = await rpcctl("--device", "tablet", "mark-notifications-read", id)
    let json = await rpcctl("trace-notification", id)
    let trace = try JSONValue(parsing: json.out).object
    #expect(trace?["committed"] != nil && trace?["markedRead"] != nil, "\(json.out)\(json.err)")
    #expect(trace?["readDevice"] == .string("tablet"))
    #expect(json.out.contains(#""device":"phone""#))
    let table = await rpcctl("trace-notification", id, table: true)
    #expect(table.out.hasPrefix("pricey  RECORD_CREATED  Houses/h1\nWHEN "))
    #expect(table.out.contains("fetched by phone") && table.out.contains("marked read by tablet"))
    let unknown = await rpcctl("trace-notification", "999-1")
    #expect(unknown.exitCode == .notFound, "\(unknown.err)")
  }

  @Test("the badge counts what is unread from what it was set to on")
  func badge() async {
    await subscribePricey()
    await save("h1", price: 200)
    #expect(await rpcctl("modify-badge", "3").out == "{\"badgeValue\":3}\n")
    await save("h2", price: 200)
    let page = await rpcctl("fetch-notification-changes", "--all", "--badge", "--user-info")
    #expect(page.out.contains(#""badgeValue":4"#), "\(page.out)\(page.err)")
    #expect(page.out.contains(#""userInfo":{"#))
  }

  @Test("channels get new topics and keys")
  func rotation() async {
    await subscribePricey()
    let run = await rpcctl("rotate-channels")
    #expect(run.out == "{\"channelCount\":1}\n", "\(run.err)")
  }

  // MARK: Work

  @Test("notifications are leased to one device of a group, and settled")
  func leases() async throws {
    await subscribePricey()
    await save("h1", price: 200)
    let leased = await rpcctl("--device", "w1", "lease-notifications", "--group", "g")
    try #require(leased.lines.count == 2, "\(leased.out)\(leased.err)")
    let lease = try #require(try member("leaseId", of: leased.lines[0]))
    #expect(try member("deliveryCount", of: leased.lines[0]) == "1")
    let other = await rpcctl("--device", "w2", "lease-notifications", "--group", "g")
    #expect(other.lines.count == 1 && other.out.contains("nextExpiry"))
    func settle(_ how: String, _ lease: String) async -> RpcctlRun {
      await rpcctl("--device", "w1", "settle-notifications", "--group", "g", how, lease)
    }
    #expect(await settle("--release", lease).exitCode == .success)
    let again = await rpcctl("--device", "w1", "lease-notifications", "--group", "g")
    #expect(try member("deliveryCount", of: again.lines.first ?? "") == "2")
    let newer = try #require(try member("leaseId", of: again.lines.first ?? ""))
    #expect(await settle("--done", lease).exitCode == .itemsFailed)
    #expect(
      await settle("--done", newer).out == "{\"leaseId\":\"\(newer)\",\"settled\":true}\n"
    )
    let table = await rpcctl("lease-notifications", "--group", "g", table: true)
    #expect(table.out.isEmpty && table.err == "none available\n")
  }

  @Test("a worker gives back what its command fails on, and is done with what it does")
  func work() async throws {
    await subscribePricey()
    await save("h1", price: 200)
    let output = server.folder.file("out")
    // Fails the first time.
    let command = "cat >> \(output); test $(wc -l < \(output)) -ge 2"
    let run = await rpcctl(
      "--device",
      "w1",
      "work",
      "--group",
      "g",
      "--count",
      "1",
      "--mark-read",
      "--exec",
      command
    )
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(run.err.contains("exited with status 1;") && run.err.contains("was released\n"))
    let lines = String(decoding: try server.folder.read("out"), as: UTF8.self).split(
      separator: "\n"
    )
    #expect(try lines.map { try member("deliveryCount", of: $0) } == ["1", "2"])
    #expect(await rpcctl("fetch-notification-changes").lines.count == 1)
  }

  @Test("one that always fails hinders no others")
  func workFails() async throws {
    await subscribePricey()
    await save("h1", price: 200)
    await save("h2", price: 200)
    let run = await rpcctl(
      "--device",
      "w1",
      "work",
      "--group",
      "g",
      "--count",
      "1",
      "--exec",
      "grep -q h2"
    )
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(run.err.contains("was released, retried in 2"), "\(run.err)")
  }
}
