import Foundation
import TestSupport
import Testing

@testable import rpcctl

@Suite struct ManualTests {
  /// Runs a program on files; returns what it said.
  private static func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private static let groff = "/usr/bin/groff"
  private static let mandoc = "/usr/bin/mandoc"
  private static func isThere(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }

  @Test("groff warns about no page", .enabled(if: isThere(groff)))
  func pages() async throws {
    let folder = try TemporaryFolder()
    let written = await ProgramRun("man", "--all", folder.path)
    #expect(written.exitCode == .success)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.contains("rpcctl.1") && names.contains("rpcctl-fetch-records.1"))
    #expect(names.count == Verb.shown.count + 1)
    let paths = names.map { folder.file($0) }
    #expect(try Self.run(Self.groff, ["-man", "-Tutf8", "-ww", "-z"] + paths) == "")
    guard Self.isThere(Self.mandoc) else { return }
    let complaints = try Self.run(Self.mandoc, ["-T", "lint", "-W", "warning"] + paths)
    #expect(complaints == "")
  }

  @Test("a page has what the help of its verb has")
  func page() async throws {
    try Snapshot.expect(await ProgramRun("man", "context", "use").out, is: "man-context-use.txt")
    let run = await ProgramRun("man", "--all", "/none/x", "--dry-run")
    #expect(run.exitCode == .success && run.err.hasPrefix("would write "))
  }
}
