internal import TestSupport
internal import Testing

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

extension ForeignProgram {
  /// Saves houses, each when the one before was printed, and expects that some came by push.
  ///
  /// The log may be read between two of them, and then has a house before its push comes: after the connection was
  /// made, twice when it is repeated that the channels changed, and once a minute.
  ///
  /// - Parameters:
  ///   - names: The houses; more than can come from the log.
  ///   - linesBefore: How many lines the program has printed.
  ///   - save: Saves a house.
  /// - Throws: When one is not printed.
  func expectPushes(
    of names: [String],
    linesBefore: Int,
    save: (String) async throws -> Void
  ) async throws {
    for (index, name) in names.enumerated() {
      try await save(name)
      try await waitForLines("the notification of \(name)") { $0.count == linesBefore + index + 1 }
    }
    let lines = seen.value.lines.dropFirst(linesBefore)
    #expect(lines.contains { $0.hasSuffix(" (push)") }, "\(lines)")
  }
}
