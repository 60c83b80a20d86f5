internal import Foundation
internal import TestSupport
internal import Testing

/// rpcgw as programs in Python and curl use it, behind nginx and HAProxy, and with a thousand connections that wait.
///
/// Each file starts an rpcd and an rpcgw, with the embedded store.
@Suite struct WebClientTests {
  @Test("the tests of the file pass", arguments: ["client", "proxies", "many"])
  func file(_ name: String) async throws {
    let gateway = try Repository.program("rpcgw")
    let run = try await ForeignProgram.run(
      "/bin/python3",
      ["\(Repository.root)/Tests/LanguageTests/Web/test_\(name).py"],
      environment: [
        "TIDINGS_PROGRAMS": String(gateway.dropLast("/rpcgw".count)),
        "PYTHONDONTWRITEBYTECODE": "1",
      ]
    )
    #expect(
      run.exit == 0,
      "needs what tools/install-dependencies --tests installs: \(run.output)\(run.errors)"
    )
    // A file without tests passes, too.
    let passed = run.errors.firstMatch(of: #/Ran (\d+) test/#).flatMap { Int($0.1) }
    #expect(passed ?? 0 > 0, "\(run.errors)")
  }
}
