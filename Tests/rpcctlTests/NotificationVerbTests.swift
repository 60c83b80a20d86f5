import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct NotificationVerbTests {
  private static func notification(
    _ number: Int,
    _ subscription: String = "s"
  )
    -> TidingsV1.Notification
  {
    .init(
      notificationID: "1-\(number)",
      type: .query,
      subscriptionID: subscription,
      reason: .recordCreated,
      recordID: .init(recordName: "h\(number)"),
      recordType: "T",
      recordFields: ["a": .init(value: .int64Value(1))]
    )
  }

  private static func page(_ call: ScriptedTransport.Call) -> [[UInt8]] {
    let request = try? TidingsV1.FetchNotificationChangesRequest(decoding: call.request)
    let number = Int(request?.changeToken.first ?? 0) + 1
    let response = TidingsV1.FetchNotificationChangesResponse(
      notifications: [notification(number)],
      changeToken: [UInt8(number)],
      moreComing: number < 3
    )
    return [response.encoded()]
  }

  private static func line(_ number: Int) -> String {
    #"{"notificationId":"1-\#(number)","type":"QUERY","subscriptionId":"s","reason":"RECORD_CREATED","recordType":"T","recordName":"h\#(number)","recordFields":{"a":1}}"#
      + "\n"
  }

  @Test("a page ends with its token, which can be used to continue")
  func page() async {
    let first = await ProgramRun("fetch-notification-changes", "--limit", "1", answer: Self.page)
    #expect(first.out == Self.line(1) + #"{"changeToken":"AQ==","moreComing":true}"# + "\n")
    let next = await ProgramRun("fetch-notification-changes", "--token", "AQ==", answer: Self.page)
    #expect(next.out == Self.line(2) + #"{"changeToken":"Ag==","moreComing":true}"# + "\n")
  }

  @Test("--all reads all pages")
  func all() async {
    let run = await ProgramRun("fetch-notification-changes", "--all", answer: Self.page)
    #expect(
      run.out == (1...3).map(Self.line).joined()
        + #"{"changeToken":"Aw==","moreComing":false}"# + "\n"
    )
  }

  @Test("JSON has one object; a table has no token")
  func formats() async {
    let json = await ProgramRun("fetch-notification-changes", "-o", "json", answer: Self.page)
    #expect(json.out.hasPrefix("{\n  \"notifications\": [\n"))
    #expect(json.out.hasSuffix("  \"changeToken\": \"AQ==\",\n  \"moreComing\": true\n}\n"))
    let table = await ProgramRun("fetch-notification-changes", "-o", "table", answer: Self.page)
    #expect(!table.out.contains("AQ==") && table.err == "changeToken AQ==, more coming\n")
  }

  @Test("watch ends with 0 after enough matching notifications")
  func watch() async {
    let run = await ProgramRun(
      "watch",
      "--count",
      "2",
      "--subscription",
      "s",
      notifications: [
        Self.notification(1), Self.notification(2, "other"), Self.notification(3),
        Self.notification(4),
      ],
      staysOpen: true
    )
    #expect(run.out == Self.line(1) + Self.line(3) && run.exitCode == .success)
  }

  @Test("a timeout is a failure only with a count")
  func watchTimeout() async {
    let counted = await ProgramRun(
      "watch",
      "--count",
      "2",
      "--timeout",
      "20ms",
      notifications: [Self.notification(1)],
      staysOpen: true
    )
    #expect(counted.exitCode == .conditionNotMet)
    #expect(counted.err == "rpcctl: timed out: 1 of 2 notifications arrived\n")
    let uncounted = await ProgramRun(
      "watch",
      "--timeout",
      "20ms",
      notifications: [Self.notification(1)],
      staysOpen: true
    )
    #expect(uncounted.exitCode == .success && uncounted.out == Self.line(1))
  }

  @Test("the columns of a watch widen with their content")
  func watchTable() async {
    let id = "0b6e2f4e-3f5c-4f0b-9d55-6a3c6f0f8d11"
    var wide = Self.notification(2)
    wide.recordID?.recordName = id
    let run = await ProgramRun(
      "watch",
      format: .table,
      notifications: [Self.notification(1), wide, Self.notification(3)]
    )
    let lines = run.out.split(separator: "\n").map(String.init)
    let columns = lines.map { line in line.firstRange(of: "1-").map { line[..<$0.lowerBound].count }
    }
    #expect(lines.count == 4 && lines[2].contains("T/\(id) "))
    #expect(columns[2] == columns[3] && columns[1] != columns[2])
  }

  @Test("a watch reports that the connection was lost and restored")
  func watchConnection() async {
    let run = await ProgramRun(
      "watch",
      notifications: [Self.notification(1)],
      events: [.lost(RPCError(.unavailable, "gone")), .restored(after: .milliseconds(3_240))]
    )
    #expect(
      run.err == """
        rpcctl: connection lost, reconnecting: UNAVAILABLE: gone
        rpcctl: connection restored after 3.2 s; no notifications were missed

        """
    )
  }

  @Test("marking prints each result")
  func mark() async {
    let response = TidingsV1.MarkNotificationsReadResponse(results: [
      .init(notificationID: "1-1", outcome: .markedRead(true)),
      .init(notificationID: "x", outcome: .error(.init(code: .unknownItem, message: "no"))),
    ])
    let run = await ProgramRun("mark-notifications-read", "1-1", "x") { _ in
      [response.encoded()]
    }
    #expect(run.exitCode == .itemsFailed)
    #expect(run.out.hasPrefix("{\"notificationId\":\"1-1\",\"markedRead\":true}\n"))
  }
}
