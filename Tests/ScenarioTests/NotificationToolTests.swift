import TestSupport
import Testing

@testable import rpcctl

/// The command line's nouns against a real server: notifications, subscriptions, tokens.
@Suite(.endsServers) struct NotificationToolTests {
  @Test("who is behind is counted, from a watch's file on too; what is read is gone")
  func lag() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    func run(_ arguments: String...) async -> RpcctlRun {
      await RpcctlRun(server, ["--device", "reader"] + arguments)
    }
    func save(_ price: Int) async {
      _ = await RpcctlRun(
        server,
        ["--device", "writer", "records", "set", "h1", "--type", "Houses", "price:=\(price)"]
      )
    }
    for (id, keys) in [("pricey", ["--desired-keys", "price"]), ("all", [])] {
      let created = await RpcctlRun(
        server,
        ["subscriptions", "create", "--query", "Houses", "--id", id] + keys
          + (id == "pricey" ? ["--where", "price > 10"] : [])
      )
      #expect(created.exitCode == .success, "\(created.err)")
    }
    for price in [5, 20, 30, 40] { await save(price) }

    let unread = await run("notifications", "unread-count", "--exit-status")
    #expect(unread.exitCode == .conditionNotMet)
    #expect(
      unread.lines.sorted() == [
        #"{"database":"private","subscriptionId":"all","unread":4}"#,
        #"{"database":"private","subscriptionId":"pricey","unread":3}"#,
      ]
    )
    let state = folder.file("w.state")
    let watch = await run(
      "watch",
      "--state",
      state,
      "--until",
      "subscriptionID == 'pricey' AND price == 30"
    )
    #expect(
      watch.exitCode == .success && watch.lines.last?.contains(#""price":30"#) == true,
      "\(watch.out)"
    )
    let lag = await run("subscriptions", "lag", "--since", "@" + state, "--max", "0")
    #expect(lag.exitCode == .conditionNotMet)
    // What the watch was handed out is not counted again.
    let counts = lag.lines.compactMap {
      $0.split(separator: ",").first { $0.hasPrefix("\"behind\"") }
    }
    #expect(counts.allSatisfy { ["\"behind\":1", "\"behind\":2"].contains($0) }, "\(lag.out)")
    #expect(await run("subscriptions", "lag").out.contains(#""subscriptionId":"all","behind":4"#))
    let resumed = await run("watch", "--state", state, "--since", "now", "--once")
    #expect(resumed.err.contains("--since is ignored"), "\(resumed.err)")

    let replay = await run(
      "notifications",
      "replay",
      "--subscription",
      "pricey",
      "--if",
      "price > 25"
    )
    #expect(replay.lines.count == 2, "\(replay.out)")
    let from = await run("notifications", "replay", "--from", "@" + state)
    #expect(from.exitCode == .success && from.lines.count < 7, "\(from.out)")
    #expect(await run("tokens", "inspect", "@" + state, "--check").exitCode == .success)

    let read = await run("notifications", "read", "--all", "--subscription", "pricey")
    #expect(read.lines.count == 3, "\(read.out)\(read.err)")
    #expect(await run("notifications", "read", "--all").lines.count == 4)
    let none = await run("notifications", "unread-count", "--exit-status")
    #expect(none.exitCode == .success && none.out.isEmpty)
    #expect(await run("subscriptions", "lag").out.isEmpty)
    #expect(await run("subscriptions", "delete", "pricey", "all").exitCode == .success)
  }
}
