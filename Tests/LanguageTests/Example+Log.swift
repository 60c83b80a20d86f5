internal import TestSupport
internal import Testing

/// What clients do for which all pushes are hints, against a real server.
extension Example {
  /// Saves and fetches, and expects the messages of errors.
  func expectRecords() async throws {
    let server = try await TestServer.start()
    let houses = Houses(self, server)
    #expect(try await houses.output("save", "h1", "300000") == "saved h1, change tag 1\n")
    #expect(try await houses.output("fetch", "h1") == "h1: price 300000\n")
    #expect(
      try await houses.failure("fetch", "h2")
        == "houses: record 'h2' does not exist (ERROR_CODE_UNKNOWN_ITEM)\n"
    )
    var nobody = houses
    nobody.environment["TIDINGS_USER"] = nil
    #expect(try await nobody.failure("fetch", "h1").contains("(status 16)"))
    nobody.environment["TIDINGS_ENDPOINT"] = "tcp://127.0.0.1:1"
    #expect(
      try await nobody.failure("fetch", "h1")
        == "houses: cannot reach tcp://127.0.0.1:1: connection refused (status 14)\n"
    )
  }

  /// Expects notifications, and after a restart those that were missed.
  func expectNotifications() async throws {
    let server = try await TestServer.start()
    let houses = Houses(self, server, device: "laptop")
    let other = Houses(try await Example.c.value, server, device: "server")
    let position = server.folder.file("position")
    #expect(
      try await houses.output("subscribe", "price > 100") == "subscribed to price > 100\n"
    )
    var watch = try houses.watch(position)
    for count in 1...3 {
      _ = try await other.output("save", "h\(count)", "500")
      try await watch.waitForLines("notification \(count)") { $0.count == count }
    }
    #expect(watch.seen.value.lines == ["1-1 h1", "1-2 h2", "1-3 h3"])
    try await watch.stop()

    _ = try await other.output("save", "missed", "500")
    watch = try houses.watch(position)
    // The page may be printed again whose token was not stored when it ended.
    let lines = try await watch.waitForLines("what was missed") { $0.last == "1-4 missed" }
    #expect(lines.count <= 2)
    _ = try await other.output("save", "h5", "500")
    try await watch.waitForLines("what comes then") { $0.last == "1-5 h5" }
    try await watch.stop()
  }
}
