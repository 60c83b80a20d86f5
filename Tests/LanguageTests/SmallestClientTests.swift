internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsKeys
internal import TidingsProto

/// The C client in one file, built with the address sanitizer.
@Suite(.endsServers) struct SmallestClientTests {
  @Test("prints notifications from the log, by push, and missed while it was stopped")
  func plain() async throws {
    let server = try await TestServer.start()
    let environment = ["TIDINGS_ENDPOINT": server.rpcEndpoint, "TIDINGS_USER": "ada"]
    try await follow(environment, position: server.folder.file("position"))
    let nobody = try await ForeignProgram.run(
      try await Example.smallest.value,
      ["save", "h1", "1"],
      environment: ["TIDINGS_ENDPOINT": server.rpcEndpoint]
    )
    #expect(nobody.exit == 1)
    #expect(nobody.errors.contains("status 16"))
  }

  @Test("an equivalent subscription of another program is adopted")
  func adoption() async throws {
    let smallest = try await Example.smallest.value
    for isSmallestFirst in [false, true] {
      let server = try await TestServer.start()
      let houses = Houses(try await Example.c.value, server)
      let subscribed = "subscribed to price > 100000\n"
      if !isSmallestFirst {
        #expect(try await houses.output("subscribe", "price > 100000") == subscribed)
      }
      let watch = try ForeignProgram(
        smallest,
        [server.folder.file("position")],
        environment: ["TIDINGS_ENDPOINT": server.rpcEndpoint, "TIDINGS_USER": "ada"]
      )
      try await watch.waitForLines("the subscription") { $0.count >= 1 }
      #expect(try await houses.output("subscribe", "price > 100000") == subscribed)
      _ = try await houses.output("save", "h1", "300000")
      let seen = try await watch.waitForLines("the notification") { $0.count >= 2 }
      #expect(seen.last?.contains("h1") == true)
      #expect(try await watch.stop().exit == 0)
    }
  }

  @Test("works with keys and sealed pushes")
  func keys() async throws {
    let secure = try await SecureServer.start()
    let file = secure.server.folder.file("ada.key")
    let generated = try await ForeignProgram.run(
      Repository.program("rpcctl"),
      ["keys", "generate", "-O", file]
    )
    #expect(generated.exit == 0, "\(generated.errors)")
    let secret = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("secret-key ") }.map { String($0.dropFirst("secret-key ".count)) }
    let pair = try KeyFile.pair(path: file)
    _ = try await secure.administration().createUser(
      .init(name: "ada", publicKey: .init(key: "\(pair.publicKey)"), roles: ["developer"])
    )
    let environment = [
      "TIDINGS_ENDPOINT": secure.server.rpcEndpoint, "TIDINGS_SERVER_KEY": "\(secure.serverKey)",
      "TIDINGS_PUBLIC_KEY": "\(pair.publicKey)",
      "TIDINGS_SECRET_KEY": try #require(secret),
    ]
    try await follow(environment, position: secure.server.folder.file("position"))
  }

  private func follow(_ environment: [String: String], position: String) async throws {
    let path = try await Example.smallest.value
    func save(_ name: String, _ price: String = "500000") async throws {
      let run = try await ForeignProgram.run(path, ["save", name, price], environment: environment)
      #expect(run.exit == 0, "\(run.errors)")
    }
    var watch = try ForeignProgram(path, [position], environment: environment)
    try await watch.waitForLines("the subscription") { $0.count == 1 }
    // By push or from the log. Its beacon comes after the server knows the watch's topics, if the push did not.
    try await save("h1")
    try await watch.waitForErrors("watch: listening")
    try await watch.waitForLines("the first notification") { $0.count == 2 }
    try await watch.expectPushes(of: ["h2", "h3", "h4", "h5", "h6"], linesBefore: 2) {
      try await save($0)
    }
    try await save("cheap", "5")
    var seen = try await watch.stop()
    #expect(seen.exit == 0, "\(seen.errors)")
    let names = seen.lines.dropFirst().map { $0.prefix { $0 != "(" }.dropLast() }
    #expect(names == (1...6).map { "1-\($0) h\($0)"[...] })

    try await save("missed")
    watch = try ForeignProgram(path, [position], environment: environment)
    try await watch.waitForLines("what was missed") { $0.count == 2 }
    seen = try await watch.stop()
    #expect(seen.exit == 0, "\(seen.errors)")
    #expect(seen.lines.dropFirst() == ["1-7 missed (log)"])
  }
}
