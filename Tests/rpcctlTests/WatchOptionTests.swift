import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct WatchOptionTests {
  private static let notifications = [5, 20, 30].map { price in
    TidingsV1.Notification(
      notificationID: "1-\(price)",
      type: .query,
      subscriptionID: "pricey",
      reason: .recordUpdated,
      recordID: .init(recordName: "h1"),
      recordType: "Houses",
      recordFields: ["price": .init(value: .int64Value(price))]
    )
  }

  private static func run(_ options: String...) async -> (ids: [String], run: ProgramRun) {
    let run = await ProgramRun(
      list: ["watch"] + options,
      notifications: notifications,
      staysOpen: true
    ) {
      call throws(RPCError) in
      guard call.method.name == "Check" else { return try ScriptedTransport.noAnswer(call) }
      return [TidingsRpcV1.CheckResponse().encoded()]
    }
    return (notifications.map(\.notificationID).filter { run.out.contains("\"\($0)\"") }, run)
  }

  @Test("it ends after the first notification or the awaited one, and filters")
  func ends() async {
    #expect(await Self.run("--once").ids == ["1-5"])
    #expect(await Self.run("--until", "price > 10").ids == ["1-5", "1-20"])
    let filtered = await Self.run("--if", "price > 10", "--until", "price == 30")
    #expect(filtered.ids == ["1-20", "1-30"] && filtered.run.exitCode == .success)
    #expect(await Self.run("--once", "--count", "2").run.exitCode == .usage)
    let late = await Self.run("--until", "price > 100", "--timeout", "100ms")
    #expect(late.run.exitCode == .conditionNotMet && late.run.err.contains("satisfied --until"))
    #expect(await Self.run("--until", "price >").run.exitCode == .usage)
  }

  @Test("heartbeats report that it is alive")
  func beats() async {
    let run = await Self.run("--show-heartbeats", "--timeout", "300ms").run
    #expect(run.err.contains("rpcctl: alive at "), "\(run.err)")
  }

  @Test("when the log is truncated it ends with 75, or restarts")
  func expired() async throws {
    struct Cut: NotificationSource {
      func handOut(
        _ body: @Sendable (TidingsV1.Notification) async throws -> Bool
      ) async throws {
        throw InboxError.changeTokenExpired("too old")
      }
    }
    for refetches in [false, true] {
      let starts = Recorder()
      let err = Recorder()
      let watch = NotificationWatch(
        session: Session(transport: ScriptedTransport(answer: ScriptedTransport.noAnswer)) {
          start,
          _ in
          starts.append(start.token)
          return start.token.isEmpty ? ScriptedNotifications(list: [], staysOpen: false) : Cut()
        },
        begin: WatchStart(token: [65]),
        refetches: refetches,
        output: Output(format: .jsonl, writeData: { _ in }, writeMessage: { err.append($0) })
      )
      var count = 0
      do {
        try await watch.run { source in
          count += 1
          try await source.handOut { _ in true }
        }
        #expect(refetches && count == 2 && err.text.contains("some were missed"))
      } catch {
        #expect(!refetches && Failure(error).exitCode == .failedCall(.outOfRange))
      }
    }
  }
}
