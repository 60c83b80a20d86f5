internal import TestSupport

/// Runs an example's program against a server.
struct Houses: Sendable {
  let path: String
  /// `TIDINGS_…`.
  var environment: [String: String]

  init(_ example: Example, _ server: TestServer, user: String = "ada", device: String = "") {
    self.init(example, endpoint: server.rpcEndpoint)
    environment["TIDINGS_USER"] = user
    if !device.isEmpty { environment["TIDINGS_DEVICE"] = device }
  }

  init(_ example: Example, endpoint: String) {
    path = example.houses
    environment = ["TIDINGS_ENDPOINT": endpoint]
  }

  /// The output of a run that must succeed.
  func output(_ words: String...) async throws -> String {
    let run = try await ForeignProgram.run(path, words, environment: environment)
    guard run.exit == 0 else {
      throw WaitingFailure(description: "houses \(words): \(run.errors)")
    }
    return run.output
  }

  /// The standard error of a run that must fail.
  func failure(_ words: String...) async throws -> String {
    let run = try await ForeignProgram.run(path, words, environment: environment)
    guard run.exit == 1 else {
      throw WaitingFailure(
        description: "houses \(words) ended with \(run.exit ?? 0): \(run.output)"
      )
    }
    return run.errors
  }

  func watch(_ file: String) throws -> ForeignProgram {
    try ForeignProgram(path, ["watch", file], environment: environment)
  }
}
