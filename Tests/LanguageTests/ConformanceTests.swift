internal import TestSupport
internal import Testing

/// The C client does what the conformance runner asks of clients in any language.
@Suite(.endsServers) struct ConformanceTests {
  @Test("no case fails, and only these features and texts with U+0000 are skipped")
  func cClient() async throws {
    let client = try await Example.conformance.value
    let server = try ServerDatabase.started(byPath: Repository.program("rpcd"))
    let run = try await ForeignProgram.run(
      Repository.program("tidings-conformance"),
      ["run", "--client", client, "--rpcd", server.path, "--task-timeout", "600s"],
      environment: server.environment
    )
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(run.exit == 0, "\(lines.filter { $0.hasPrefix("FAILED") })\n\(run.errors)")
    #expect(lines.last?.contains(" 0 failed") == true)
    let unexpected = lines.filter { line in
      line.hasPrefix("skipped")
        && !["FEATURE_JSON", "FEATURE_RETRIES", "U+0000"].contains { line.contains($0) }
    }
    #expect(unexpected == [])
    #expect(lines.count { $0.hasPrefix("passed") } > 60)
  }
}
