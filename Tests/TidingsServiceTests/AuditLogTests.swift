internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsAudit
internal import TidingsLogging
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
    for number in 0..<100_000 {
      tally.add(refusal("u\(number)", at: 3_000, "a\(number % 100)"), at: start + .seconds(2))
    }
    let entries = tally.takeDue(at: start + .seconds(60))
    #expect(entries.count <= RefusalTally.entriesMax)
    #expect(RefusalTally.entriesMax <= AuditLane.pendingMax)
    #expect(entries.reduce(0) { $0 + $1.count } == 101_000)
    #expect(entries[0].user == "ada" && entries[0].count == 1_000)
    #expect(tally.isEmpty && tally.due == nil)
  }

  @Test("a flood of one action or of one source takes nobody else's lines")
  func budgets() {
    var tally = RefusalTally()
    func add(_ action: String, _ user: String, _ key: String, _ address: String, _ detail: String) {
      tally.add(
        AuditEntry(
          action,
          user: user,
          publicKey: key,
          address: address,
          isRefused: true,
          detail: detail
        ),
        at: .now
      )
    }
    for number in 0..<10_000 {
      add("handshake", "", "key \(number)", "10.0.0.1", "no")
      // All addresses of a /64 are one source.
      add("handshake", "", "key \(number)", "2001:db8::\(String(number, radix: 16))", "no")
      add("call", "eve", "k", "", "reason \(number)")
    }
    add("handshake", "", "another key", "10.0.0.2", "no")
    add("CreateUser", "eve", "k", "", "no")
    add("call", "ada", "k2", "", "no")
    let entries = tally.takeAll()
    #expect(entries.contains { $0.publicKey == "another key" && $0.address == "10.0.0.2" })
    #expect(
      entries.contains { $0.action == "CreateUser" && $0.user == "eve" && $0.publicKey == "k" }
    )
    #expect(entries.contains { $0.action == "call" && $0.user == "ada" && $0.publicKey == "k2" })
    #expect(entries.count == 3 * (RefusalTally.entriesPerSourceMax + 1) + 3)
    #expect(entries.reduce(0) { $0 + $1.count } == 30_003)
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
    for link in [nil, ChainLink(after: .none), ChainLink(after: .none, torn: ChainHead.none.hash)] {
      let line = entry.line(link)
      #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
      #expect(AuditEntry(line: line, kind: .administration) == entry)
      #expect(ChainLink(of: line[...]) == link)
    }
    #expect(entry.time.utcText == "2023-11-14T22:13:20.123Z")
    let early = Timestamp(millisecondsSince1970: -1)
    #expect(early.utcText == "1969-12-31T23:59:59.999Z")
    for nanoseconds in [0, 1, 1_000, 678_000_000, 999_999_999] as [Int32] {
      let time = Timestamp(seconds: -1, nanoseconds: nanoseconds)
      #expect(Timestamp(utcText: time.iso8601) == time)
    }
    for bytes in [Array(entry.line().dropLast(9)), [], Array("{}".utf8), Array("x".utf8)] {
      #expect(AuditEntry(line: bytes, kind: .administration) == nil)
    }
    let long = AuditEntry("a", isRefused: true, detail: String(repeating: "é", count: 5_000))
    #expect(long.detail.utf8.count < 500)
  }

  @Test(
    "files are bounded in size and number, for their owner alone, and their lines are one chain"
  )
  func files() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("")
    var file = try AuditFile(.refusals, folder: path, bytesMax: 2_000)
    for number in 0..<200 { _ = try file.append([refusal("u\(number)", at: 1_000)]) }
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.count == AuditKind.oldFilesMax + 1)
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      #expect(name.hasPrefix("refusals."))
      #expect(attributes[.size] as? Int ?? .max <= 2_000)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    let newest = file.newest(max: 5)
    #expect(newest.map(\.user) == (195..<200).map { "u\($0)" })
    let check = try AuditVerification(.refusals, folder: path).check()
    #expect(check.problems == [] && check.head == file.head && check.head.number == 200)
    // The next start continues it.
    var next = try AuditFile(.refusals, folder: path, bytesMax: 2_000)
    #expect(next.head == file.head)
    _ = try next.append([refusal("x", at: 1_000)])
    #expect(try AuditVerification(.refusals, folder: path).check().problems == [])
  }

  @Test("lines that a crash has cut anywhere are distinguished from lines that were changed")
  func torn() throws {
    let line = refusal("ada", at: 1_000).line(ChainLink(after: .none))
    for cut in stride(from: 1, through: line.count - 1, by: 7) {
      let folder = try TemporaryFolder()
      var file = try AuditFile(.refusals, folder: folder.path)
      _ = try file.append([refusal("a", at: 1_000), refusal("b", at: 1_000)])
      let whole = try folder.read("refusals.log")
      try folder.write(whole.dropLast(cut % 100), to: "refusals.log")
      // A start that ends at once, and one that ends after the line feed.
      _ = try AuditFile(.refusals, folder: folder.path)
      if cut % 2 == 0 {
        try folder.write(try folder.read("refusals.log") + [0x0A], to: "refusals.log")
      }
      var next = try AuditFile(.refusals, folder: folder.path)
      _ = try next.append([refusal("c", at: 1_000)])
      _ = try next.append([refusal("d", at: 1_000)])
      let check = try AuditVerification(.refusals, folder: folder.path).check()
      #expect(check.problems == [], "cut \(cut)")
      #expect(next.newest(max: 9).map(\.user).suffix(2) == ["c", "d"])
    }
  }

  @Test("a file that is removed or moved away is begun again, and its lines are missed")
  func removed() throws {
    let folder = try TemporaryFolder()
    var file = try AuditFile(.administration, folder: folder.path)
    for _ in 0..<3 { _ = try file.append([refusal("a", at: 1_000)]) }
    try FileManager.default.moveItem(
      atPath: folder.file("audit.log"),
      toPath: folder.file("audit.1.log")
    )
    _ = try file.append([refusal("b", at: 1_000)])
    #expect(try AuditVerification(.administration, folder: folder.path).check().lineCount == 4)
    try FileManager.default.removeItem(atPath: folder.file("audit.log"))
    _ = try file.append([refusal("c", at: 1_000)])
    let check = try AuditVerification(.administration, folder: folder.path).check()
    #expect(check.problems == ["audit.log, line 1: lines 4 to 4 are missing before it"])
  }

  @Test("a log that is older than the chain goes on in it")
  func older() throws {
    let folder = try TemporaryFolder()
    let old = AuditEntry("CreateUser", user: "root", isRefused: false, detail: "user ada")
    try folder.write(old.line() + old.line(), to: "audit.log")
    let log = try AuditLog(AuditFolder(path: folder.path), logger: Logger(level: .error))
    log.stop()
    #expect(log.newest(limit: 9, user: "").count == 3)
    let check = try AuditVerification(.administration, folder: folder.path).check()
    #expect(check.problems == [] && check.lineCount == 1 && check.remarks.count == 1)
  }

  @Test("refusals, however many, displace no deed: neither in memory nor in files")
  func apart() throws {
    let folder = try TemporaryFolder()
    let log = try AuditLog(AuditFolder(path: folder.path), logger: Logger(level: .error))
    log.add(AuditEntry("CreateUser", user: "root", isRefused: false, detail: "user ada"))
    for number in 0..<3 * AuditLane.newestMax {
      log.add(refusal("u\(number)", at: Timestamp.now.millisecondsSince1970))
      var schema = AuditEntry("ApplySchema", user: "dev", isRefused: false, detail: "\(number)")
      schema.kind = .schemas
      log.add(schema)
    }
    #expect(
      log.newest(limit: 5_000, user: "", isRefused: false).contains { $0.action == "CreateUser" }
    )
    #expect(log.newest(limit: 5, user: "root").count == 1)
    #expect(log.newest(limit: 5_000, user: "", isRefused: true).allSatisfy { $0.isRefused })
    log.stop()
    let deeds = String(decoding: try folder.read("audit.log"), as: UTF8.self)
    #expect(deeds.split(separator: "\n").count == 1 && deeds.contains("CreateUser"))
    #expect(log.heads.first?.head.number == 1)
  }

  @Test(
    "copies go to syslog's socket, a restarted one too; one that is full or gone holds nothing up"
  )
  func syslog() async throws {
    let folder = try TemporaryFolder()
    let socket = folder.file("syslog")
    let log = try AuditLog(
      AuditFolder(path: folder.path),
      syslogPath: socket,
      logger: Logger(level: .error)
    )
    log.add(AuditEntry("A", user: "root", isRefused: false, detail: "lost: nobody is there"))
    log.add(AuditEntry("B", user: "root", isRefused: false, detail: "too"))
    try await waitUntil("2 lines in the log") { log.heads[0].head.number >= 2 }
    let first = try SupervisorSocket(name: socket)
    for number in 0..<50 {
      log.add(AuditEntry("C", user: "root", isRefused: false, detail: "\(number)"))
    }
    try await first.messages.wait("all lines") { $0.count { $0.contains("\"C\"") } == 50 }
    first.end()
    unlink(socket)
    let second = try SupervisorSocket(name: socket)
    log.add(AuditEntry("D", user: "root", isRefused: true, detail: "x"))
    try await second.messages.wait("the line") { $0.contains { $0.contains("\"D\"") } }
    second.end()
    unlink(socket)
    let full = try SupervisorSocket(name: socket, reads: false)
    for number in 0..<2_000 {
      log.add(AuditEntry("E", user: "root", isRefused: false, detail: "\(number)"))
    }
    try await waitUntil("2,052 lines in the log") { log.heads[0].head.number >= 2_052 }
    full.end()
    log.stop()
    let sent = first.messages.value + second.messages.value
    #expect(sent.allSatisfy { $0.contains("rpcd[") && $0.hasPrefix("<8") })
    let line = try #require(sent.first { $0.contains("\"C\"") })
    let json = line[try #require(line.firstIndex(of: "{"))...]
    let file = String(decoding: try folder.read("audit.log"), as: UTF8.self)
    #expect(file.contains(json + "\n"))
  }

  @Test("a log shows what it was reported, also after a restart and a cut line")
  func log() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("")
    let first = try AuditLog(AuditFolder(path: path), logger: Logger(level: .error))
    first.add(AuditEntry("CreateUser", user: "root", isRefused: false, detail: "user ada"))
    for _ in 0..<5 {
      var entry = refusal("ada", at: 0)
      entry.time = .now
      first.addRefusal(entry)
    }
    #expect(first.newest(limit: 10, user: "").map(\.action) == ["CreateUser", "call"])
    #expect(first.newest(limit: 1, user: "").map(\.count) == [5])
    #expect(first.newest(limit: 10, user: "root").map(\.action) == ["CreateUser"])
    first.stop()
    let handle = try #require(FileHandle(forWritingAtPath: path + "/audit.log"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"time\":\"20".utf8))
    try handle.close()
    let second = try AuditLog(AuditFolder(path: path), logger: Logger(level: .error))
    second.add(AuditEntry("RevokeKey", user: "root", isRefused: false, detail: "key"))
    second.stop()
    let third = try AuditLog(AuditFolder(path: path), logger: Logger(level: .error))
    let entries = third.newest(limit: 10, user: "")
    #expect(entries.map(\.action) == ["CreateUser", "call", "RevokeKey"])
    #expect(entries.map(\.count) == [1, 5, 1])
    third.stop()
    for (kind, check) in try third.verify() { #expect(check.problems == [], "\(kind)") }
    try folder.write([], to: "audit.log")
    #expect(try third.verify().first?.check.problems.count == 1)
  }
}
