internal import Foundation
internal import TestSupport
internal import Testing

/// The JavaScript client, which rpcgw serves: its own tests, in Node.js.
///
/// Each file starts an rpcd and an rpcgw, with the embedded store.
@Suite struct JavaScriptClientTests {
  @Test(
    "the tests of the client pass",
    arguments: ["values", "records", "events", "types", "documentation"]
  )
  func client(file: String) async throws {
    let gateway = try Repository.program("rpcgw")
    let run = try await ForeignProgram.run(
      "/bin/sh",
      ["-c", "exec node \"$@\"", "node", "--test"]
        + ["\(Repository.root)/Tests/LanguageTests/JavaScript/\(file).test.mjs"],
      environment: ["TIDINGS_PROGRAMS": String(gateway.dropLast("/rpcgw".count))]
    )
    #expect(
      run.exit == 0,
      "needs what tools/install-dependencies --tests installs: \(run.output)\(run.errors)"
    )
    // A file without tests passes, too.
    let passed = run.output.firstMatch(of: #/\bpass (\d+)/#).flatMap { Int($0.1) }
    #expect(passed ?? 0 > 0, "\(run.output)")
  }
}
