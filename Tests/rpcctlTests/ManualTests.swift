import Foundation
import TestSupport
import Testing

@testable import rpcctl

@Suite(.endsServers) struct ManualTests {
  /// Runs a program on files; returns its output.
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

  @Test("groff has no warnings for any page", .enabled(if: Executable.path("groff") != nil))
  func pages() async throws {
    let folder = try TemporaryFolder()
    let written = await ProgramRun("man", "--all", folder.path)
    #expect(written.exitCode == .success)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.contains("rpcctl.1") && names.contains("rpcctl-records-get.1"))
    #expect(names.count == Verb.shown.count + 1)
    let paths = names.map { folder.file($0) }
    let groff = try #require(Executable.path("groff"))
    #expect(try Self.run(groff, ["-man", "-Tutf8", "-ww", "-z"] + paths) == "")
    guard let mandoc = Executable.path("mandoc") else { return }
    let complaints = try Self.run(mandoc, ["-T", "lint", "-W", "warning"] + paths)
    #expect(complaints == "")
  }

  @Test(
    "nor for those of the servers, which have all options",
    .enabled(if: Executable.path("groff") != nil),
    arguments: ["rpcd", "rpcgw", "rpcdeliver"]
  )
  func servers(program: String) async throws {
    let folder = try TemporaryFolder()
    let (manual, help) = (
      try ServerProcess(program, arguments: ["man"]),
      try ServerProcess(program, arguments: ["--help"])
    )
    for process in [manual, help] { #expect(try await process.waitForExit() == .code(0)) }
    let text = manual.seen.value.output
    #expect(text.hasPrefix(".TH \"\(program.uppercased())\" 8 "))
    for line in help.seen.value.output.split(separator: "\n") {
      guard let option = line.firstMatch(of: /^ +(?:-., )?--([a-z-]+)/)?.output.1 else { continue }
      #expect(text.contains("\\-\\-" + option.replacing("-", with: "\\-")), "\(option)")
    }
    try folder.write(Array(text.utf8), to: "\(program).8")
    let groff = try #require(Executable.path("groff"))
    let path = folder.file("\(program).8")
    #expect(try Self.run(groff, ["-man", "-Tutf8", "-ww", "-z", path]) == "")
  }

  @Test("a page has the content of the verb's help")
  func page() async throws {
    try Snapshot.expect(await ProgramRun("man", "context", "use").out, is: "man-context-use.txt")
    let run = await ProgramRun("man", "--all", "/none/x", "--dry-run")
    #expect(run.exitCode == .success && run.err.hasPrefix("would write "))
  }
}
