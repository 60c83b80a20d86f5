import Foundation
import Synchronization
import TestSupport
import Testing

/// The runner says what is right and what is wrong with a client.
@Suite struct RunnerTests {
  /// What Tidings' own client in Swift does not do: its messages drop what they do not know.
  private static let skipped = [
    "vector/headers/call_with_unknown_fields", "vector/headers/record_with_unknown_fields",
    "vector/headers/unknown_field_in_inner_message", "vector/headers/value_of_a_newer_version",
  ]

  @Test("the Swift client passes all cases of what it can do")
  func swiftClient() async throws {
    let run = try await RunnerProcess([
      "run", "--client", RunnerProcess.client, "--task-timeout", "10m",
    ])
    let lines = run.output.split(separator: "\n")
    let failed = lines.filter { $0.hasPrefix("FAILED") }
    #expect(failed == [])
    let skipped = lines.filter { $0.hasPrefix("skipped") }
      .map { $0.dropFirst("skipped  ".count).prefix { $0 != ":" } }
    #expect(skipped.map(String.init) == Self.skipped)
    let passed = lines.count { $0.hasPrefix("passed") }
    #expect(passed > 250)
    #expect(lines.last == "\(passed) passed, 0 failed, \(Self.skipped.count) skipped")
    #expect(run.exitCode == 0)
  }

  /// What is wrong with a client, a case that must notice, and a word of what it says.
  static let faults: [(fault: String, name: String, says: String)] = [
    ("drops-unknown-fields", "vector/headers/call_with_unknown_fields", "expected"),
    ("accepts-tampered-pushes", "vector/pushes/tampered_text", "does not open"),
    ("accepts-junk", "vector/refused/utf8_invalid", "refusal"),
    ("repeats-unsafe-calls", "no_retry_of_unsafe_call", "sent"),
    ("hides-failures", "status_and_details", "expected UNKNOWN"),
    ("ignores-log", "push_lost_then_feed", "came 1"),
    ("repeats-notifications", "push_duplicate_ignored", "created"),
    ("exits", "empty_unary", "exited with code 3"),
    ("crashes", "empty_unary", "by signal 9"),
    ("writes-junk", "empty_unary", "no TaskResult"),
    ("announces-too-much", "empty_unary", "4294967295 bytes"),
    ("answers-twice", "empty_unary", "expected"),
  ]

  @Test("a client that does something wrong fails the case that asks for it", arguments: faults)
  func brokenClient(fault: String, name: String, says: String) async throws {
    let run = try await RunnerProcess(
      [
        "run", "--client", RunnerProcess.client, "-o", "json", "--filter", name,
        "--task-timeout", fault == "ignores-log" ? "20s" : "10m",
      ],
      fault: fault
    )
    let result = try run.result(of: name)
    #expect(result.outcome == "failed")
    #expect(result.message.contains(says), "\(result.message)")
    #expect(run.exitCode == 1)
  }

  @Test("a client that hangs is ended, and the next case has a new one")
  func hangingClient() async throws {
    let run = try await RunnerProcess(
      [
        "run", "--client", RunnerProcess.client, "-o", "json", "--filter", "empty_unary",
        "--filter", "vector/records/share", "--filter", "large_unary", "--task-timeout", "3s",
      ],
      fault: "hangs"
    )
    #expect(try run.result(of: "empty_unary").message.contains("did not answer within 3000 ms"))
    #expect(try run.result(of: "large_unary").message.contains("did not answer within 3000 ms"))
    #expect(run.exitCode == 1)
  }

  @Test(
    "a command that is no client is tried three times, not more",
    arguments: ["false", "no-such-program-anywhere", "echo hello", "true"]
  )
  func noClient(command: String) async throws {
    let run = try await RunnerProcess(["run", "--client", command, "--filter", "vector/records"])
    let lines = run.output.split(separator: "\n")
    #expect(lines.count { $0.contains("did not start") } == 3)
    #expect(lines.count { $0.contains("not tried again") } == lines.count - 4)
    #expect(lines.last?.hasPrefix("0 passed, ") == true)
    #expect(run.exitCode == 1)
  }

  @Test("JUnit's XML has a test case a line, and escapes what would end it")
  func junit() async throws {
    let run = try await RunnerProcess([
      "run", "--client", RunnerProcess.client, "-o", "junit", "--filter", "vector/refused/*",
    ])
    #expect(run.output.hasPrefix("<?xml"))
    #expect(
      run.output.contains("<testcase classname=\"Swift, TidingsClient\" name=\"vector/refused/")
    )
    #expect(XMLCheck.isBalanced(run.output))
    #expect(run.exitCode == 0)
  }

  @Test("the cases are listed without a client; a filter that selects none is an error")
  func lists() async throws {
    let all = try await RunnerProcess(["run", "--list"])
    let names = all.output.split(separator: "\n")
    #expect(names.contains("push_lost_then_feed"))
    #expect(Set(names).count == names.count)
    let some = try await RunnerProcess(["run", "--list", "--filter", "push_*"])
    #expect(some.output.split(separator: "\n").allSatisfy { $0.hasPrefix("push_") })
    let none = try await RunnerProcess(["run", "--client", "true", "--filter", "nothing-like-it"])
    #expect(none.exitCode == 1)
    let missing = try await RunnerProcess(["run"])
    #expect(missing.exitCode == 2)
  }

  @Test("SIGINT ends the client and the servers too")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("pid")
    let process = try RunnerProcess.process(
      [
        "run", "--client", "echo $$ >\(file); exec \(RunnerProcess.client)", "--filter",
        "save_and_fetch", "--task-timeout", "10m",
      ],
      fault: "hangs"
    )
    process.standardOutput = FileHandle.nullDevice
    var environment = process.environment ?? [:]
    let temporary = folder.file("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    environment["TMPDIR"] = temporary
    process.environment = environment
    let ended = Observed(false)
    process.terminationHandler = { _ in ended.update { $0 = true } }
    try process.run()
    var pid: Int32?
    try await waitUntil("the client and a server to run", pausing: .milliseconds(20)) {
      let text = FileManager.default.contents(atPath: file).map {
        String(decoding: $0, as: UTF8.self)
      }
      pid = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      return pid != nil && !servers(in: temporary).isEmpty
    }
    process.interrupt()
    try await ended.wait("the end of the runner") { $0 }
    #expect(process.terminationStatus == 130)
    #expect(kill(try #require(pid), 0) != 0)
    #expect(servers(in: temporary).isEmpty)
    // Its temporary data are gone too.
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  /// Servers whose command lines name a folder.
  private func servers(in folder: String) -> [String] {
    let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return pids.filter { Int32($0) != nil }.compactMap { pid in
      FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
        .map { String(decoding: $0, as: UTF8.self) }
    }
    .filter { $0.contains("rpcd\0") && $0.contains(folder + "/") }
  }
}

private enum XMLCheck {
  /// Every element ends, in the right order.
  static func isBalanced(_ text: String) -> Bool {
    var open: [Substring] = []
    for part in text.split(separator: "<").dropFirst(0) {
      guard let end = part.firstIndex(of: ">") else { return false }
      let tag = part[..<end]
      if tag.hasPrefix("?") || tag.hasSuffix("/") { continue }
      let name = tag.prefix { $0 != " " }
      if name.hasPrefix("/") {
        guard open.popLast() == name.dropFirst() else { return false }
      } else {
        open.append(name)
      }
    }
    return open.isEmpty
  }
}
