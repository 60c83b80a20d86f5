internal import Foundation
internal import TestSupport
internal import Testing

/// What rpcctl's help shows is what it does.
@Suite struct HelpTests {
  @Test("all examples of the help succeed on one server")
  func examples() async throws {
    let rpcctl = try Repository.program("rpcctl")
    let run = try await ForeignProgram.run(
      "/bin/python3",
      ["\(Repository.root)/Tests/LanguageTests/Help/test_help.py"],
      environment: [
        "TIDINGS_PROGRAMS": String(rpcctl.dropLast("/rpcctl".count)),
        "PYTHONDONTWRITEBYTECODE": "1",
      ]
    )
    #expect(
      run.exit == 0,
      "needs what tools/install-dependencies --tests installs: \(run.output)\(run.errors)"
    )
  }
}
