import CheckCore
import TestSupport
import Testing

@Suite struct HistoryFileTests {
  @Test("a history that is saved and read again is the same")
  func roundTrip() throws {
    var full = Call(
      .lease,
      "group",
      7,
      at: 5...9,
      sent: [Version("a")],
      got: [Version("b", -3, tag: "z")]
    )
    (full.reason, full.token, full.nextToken, full.isLast) = ("why \"\n", "00", "ff", true)
    full.notices = [
      Notice(
        id: "n",
        subscription: "s",
        record: "r",
        value: 1,
        reason: "left",
        channel: "c",
        number: 2,
        lease: "l",
        deliveryCount: 3
      )
    ]
    full.rule = Rule(3..<8, ["created", "left"])
    (full.manner, full.milliseconds, full.outcome) = ("done", 1000, .unknown)
    let kinds = Call.Kind.allCases.map { Call($0, at: 1...2) }
    var history = History(seed: .max, calls: [.leases: [full], .set: kinds, .bank: []])
    history.failures[.bank] = "no accounts"
    let folder = try TemporaryFolder()
    let path = try HistoryFile.write(history, to: folder.file("histories"))
    #expect(try HistoryFile.read(path) == history)
  }

  @Test("a line that is no call is reported with its number")
  func damaged() {
    let text = HistoryFile.text(History(seed: 1, calls: [.set: [Call(.list, at: 1...2)]]))
    #expect(throws: (any Error).self) { try HistoryFile.history("") }
    #expect(throws: (any Error).self) { try HistoryFile.history("{}\n" + text) }
    do {
      _ = try HistoryFile.history(text + "{\"workload\":\"set\"}\n")
      Issue.record("it was accepted")
    } catch {
      #expect("\(error)" == "line 3 is not a call")
    }
  }
}
