internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsService

@Suite struct AuditLogTests {
  private func refusal(_ user: String, at time: Int64, _ action: String = "call") -> AuditEntry {
    AuditEntry(
      action,
      user: user,
      isRefused: true,
      detail: "no",
      time: Timestamp(millisecondsSince1970: time)
    )
  }

  @Test("alike refusals of a minute are one entry, and a flood of different ones a few")
  func tally() {
    var tally = RefusalTally()
    let start = ContinuousClock.now
    for number in 0..<1_000 {
      tally.add(
        refusal("ada", at: 1_000 + Int64(number)),
        at: start + .milliseconds(number)
      )
    }
    #expect(tally.due == start + .seconds(60))
    #expect(tally.takeDue(at: start + .milliseconds(59_999)).isEmpty)
    for number in 0..<10_000 {
      tally.add(refusal("u\(number)", at: 3_000, "a\(number % 100)"), at: start + .seconds(2))
    }
    let entries = tally.takeDue(at: start + .seconds(60))
    #expect(entries.count <= RefusalTally.kindsMax + RefusalTally.actionsMax + 1)
    #expect(entries.reduce(0) { $0 + $1.count } == 11_000)
    #expect(entries[0].user == "ada" && entries[0].count == 1_000)
    #expect(tally.isEmpty && tally.due == nil)
  }

  @Test("an entry is what its line says, whatever is in it")
  func lines() {
    var entry = AuditEntry(
      "RevokeKey",
      user: "ada",
      publicKey: "k",
      address: "10.0.0.1",
      isRefused: false,
      detail: "a \"quoted\" line\nand another \u{1B}",
      time: Timestamp(millisecondsSince1970: 1_700_000_000_123)
    )
    entry.count = 7
    #expect(entry.line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    #expect(AuditEntry(line: entry.line) == entry)
    #expect(entry.time.utcText == "2023-11-14T22:13:20.123Z")
    let early = Timestamp(millisecondsSince1970: -1)
    #expect(early.utcText == "1969-12-31T23:59:59.999Z")
    #expect(Timestamp(utcText: early.utcText) == early)
    for bytes in [Array(entry.line.dropLast(9)), [], Array("{}".utf8), Array("x".utf8)] {
      #expect(AuditEntry(line: bytes) == nil)
    }
    let long = AuditEntry("a", isRefused: true, detail: String(repeating: "é", count: 5_000))
    #expect(long.detail.utf8.count < 500)
  }

  @Test("files are bounded in size and number, and for their owner alone")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("")
    var file = AuditFile(folder: path, bytesMax: 1_000)
    for number in 0..<200 { try file.append(refusal("u\(number)", at: 1_000).line) }
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasPrefix("audit.") }
    #expect(names.count == AuditFile.oldFilesMax + 1)
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      #expect(attributes[.size] as? Int ?? .max <= 1_000)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    let newest = file.newest(max: 5)
    #expect(newest.map(\.user) == (195..<200).map { "u\($0)" })
  }

  @Test("a log tells what it was told, also after a restart and a cut line")
  func log() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("")
    let first = AuditLog(folder: path, logger: Logger(level: .error))
    first.add(AuditEntry("CreateUser", user: "root", isRefused: false, detail: "user ada"))
    for _ in 0..<5 { first.addRefusal(refusal("ada", at: Timestamp.now.millisecondsSince1970)) }
    #expect(first.newest(limit: 10, user: "").map(\.action) == ["CreateUser", "call"])
    #expect(first.newest(limit: 1, user: "").map(\.count) == [5])
    #expect(first.newest(limit: 10, user: "root").map(\.action) == ["CreateUser"])
    first.stop()
    let handle = try #require(FileHandle(forWritingAtPath: path + "/audit.log"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"time\":\"20".utf8))
    try handle.close()
    let second = AuditLog(folder: path, logger: Logger(level: .error))
    second.add(AuditEntry("RevokeKey", user: "root", isRefused: false, detail: "key"))
    second.stop()
    let third = AuditLog(folder: path, logger: Logger(level: .error))
    let entries = third.newest(limit: 10, user: "")
    #expect(entries.map(\.action) == ["CreateUser", "call", "RevokeKey"])
    #expect(entries.map(\.count) == [1, 5, 1])
    third.stop()
  }
}
