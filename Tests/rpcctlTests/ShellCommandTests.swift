import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

/// Real commands of `--exec`.
@Suite struct ShellCommandTests {
  private static func read(_ path: String) throws -> String {
    String(decoding: try Input.system.read(path), as: UTF8.self)
  }

  @Test("a command reads its data from standard input, which is never executed")
  func input() async throws {
    let folder = try TemporaryFolder()
    let hostile = #"$(touch \#(folder.file("x")))'; touch \#(folder.file("x")) #"#
    let notification = TidingsV1.Notification(
      notificationID: "1-1",
      type: .query,
      subscriptionID: hostile,
      notificationInfo: .init(alertBody: "`touch \(folder.file("x"))`")
    )
    let run = await ProgramRun(
      list: ["watch", "--count", "1", "--exec", "cat > \(folder.file("out"))"],
      notifications: [notification],
      staysOpen: true
    )
    #expect(run.exitCode == .success && run.out.isEmpty)
    let text = try Self.read(folder.file("out"))
    #expect(text.hasPrefix(#"{"notificationId":"1-1","type":"QUERY","#) && text.hasSuffix("}\n"))
    #expect(!AtomicFile.exists(folder.file("x")))
  }

  @Test("a command that does not read its input does not fail, whatever its size")
  func unread() async throws {
    try await ShellCommand("true").run([UInt8](repeating: 10, count: 1 << 20))
  }

  @Test("a command that fails ends the watch with 5, and its status is reported")
  func failure() async {
    let notifications = [TidingsV1.Notification(notificationID: "1-1", type: .query)]
    let failed = await ProgramRun(
      list: ["watch", "--exec", "exit 7"],
      notifications: notifications,
      staysOpen: true
    )
    #expect(failed.exitCode == .commandFailed && failed.exitCode.rawValue == 5)
    #expect(failed.err == "rpcctl: the command 'exit 7' exited with status 7\n")
    let killed = await ProgramRun(
      list: ["watch", "--exec", "kill -9 $$"],
      notifications: notifications,
      staysOpen: true
    )
    #expect(killed.err == "rpcctl: the command 'kill -9 $$' was killed by signal 9\n")
  }

  @Test("a command whose task is cancelled gets SIGTERM, with default signal handlers")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    // It never ends by itself: the test cancels it.
    let script =
      "trap 'echo asked > \(folder.file("end")); exit 0' TERM; echo > \(folder.file("on"));"
      + " while true; do sleep 0.05; done"
    let task = Task { try await ShellCommand(script).run([]) }
    try await waitUntil("the command to run") { AtomicFile.exists(folder.file("on")) }
    task.cancel()
    _ = await task.result
    #expect(try Self.read(folder.file("end")) == "asked\n")
  }

  @Test("--mark-read marks what was printed, and waits for an unreachable server")
  func markRead() async throws {
    let tries = Box<Int>()
    let run = await ProgramRun(
      "watch",
      "--count",
      "1",
      "--mark-read",
      notifications: [.init(notificationID: "1-1", type: .query)]
    ) { (call) throws(RPCError) in
      guard call.method.name == "MarkNotificationsRead" else { return [] }
      tries.set((tries.value ?? 0) + 1)
      if tries.value == 1 { throw RPCError(.unavailable, "restarting") }
      return [
        TidingsV1.MarkNotificationsReadResponse(results: [
          .init(notificationID: "1-1", outcome: .markedRead(true))
        ]).encoded()
      ]
    }
    #expect(run.exitCode == .success && tries.value == 2)
    let request = try TidingsV1.MarkNotificationsReadRequest(
      decoding: try #require(run.calls.last).request
    )
    #expect(request.notificationIDs == ["1-1"])
  }
}
