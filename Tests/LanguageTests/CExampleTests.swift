internal import TestSupport
internal import Testing
internal import TidingsKeys
internal import TidingsProto

/// The C client, built from proto/ with plain tools, against a real server.
@Suite(.endsServers) struct CExampleTests {
  @Test("saves, fetches, and prints error messages")
  func records() async throws {
    let server = try await TestServer.start()
    let houses = Houses(try await Example.c.value, server)
    #expect(try await houses.output("save", "h1", "300000") == "saved h1, change tag 1\n")
    #expect(try await houses.output("fetch", "h1") == "h1: price 300000\n")
    #expect(
      try await houses.failure("fetch", "h2").contains("record 'h2' does not exist (code 11)")
    )
    #expect(
      try await houses.output("subscribe", "price > 100000") == "subscribed to price > 100000\n"
    )
    #expect(try await houses.failure("subscribe", "price >").contains("column 8"))
    var nobody = houses
    nobody.environment["TIDINGS_USER"] = nil
    #expect(try await nobody.failure("fetch", "h1").contains("(status 16)"))
  }

  @Test("a copy of the example finds the installed .proto files, or says what is missing")
  func protos() async throws {
    let folder = try TemporaryFolder()
    let script = """
      cp "$0"/docs/examples/c/Makefile "$1" && cd "$1" && mkdir -p bin share/tidings && touch bin/rpcctl \
        && chmod +x bin/rpcctl && ! make clean && ln -s "$0/proto" share/tidings/proto \
        && PATH="$1/bin:$PATH" make --silent build/generated/done && ls build/generated
      """
    let run = try await ForeignProgram.run(
      "/bin/sh",
      ["-c", script, Repository.root, folder.file("")]
    )
    #expect(run.exit == 0 && run.lines.contains("messages.h"), "\(run.errors)")
    #expect(run.errors.contains("no .proto files in '': use make PROTO=DIR"))
  }

  @Test("each notification once: by push, missed while it was down, and across a server's restart")
  func notifications() async throws {
    var server = try await TestServer.startLasting()
    let example = try await Example.c.value
    let houses = Houses(example, server, device: "laptop")
    let other = Houses(example, server, device: "server")
    let position = server.folder.file("position")
    _ = try await houses.output("subscribe", "price > 100")

    var watch = try houses.watch(position)
    // By push or from the log. Its beacon comes after the server knows the watch's topics, if the push did not.
    _ = try await other.output("save", "h1", "500")
    try await watch.waitForErrors("houses: listening")
    try await watch.waitForLines("the first notification") { $0.count == 1 }
    try await watch.expectPushes(of: ["h2", "h3", "h4", "h5", "h6"], linesBefore: 1) {
      _ = try await other.output("save", $0, "500")
    }
    // What the laptop saves itself is not reported.
    _ = try await houses.output("save", "own", "500")
    _ = try await other.output("save", "cheap", "50")
    var lines = try await ended(watch)

    _ = try await other.output("save", "missed", "500")
    watch = try houses.watch(position)
    try await watch.waitForLines("what was missed") { $0.count == 1 }
    try await server.crash()
    server = try await server.restarted()
    _ = try await other.output("save", "after", "500")
    try await watch.waitForLines("what came after the restart") { $0.count == 2 }
    let more = try await ended(watch)
    #expect(more.first == "1-8 missed (log)")
    lines += more
    let names = (1...6).map { "1-\($0) h\($0)" } + ["1-8 missed", "1-9 after"]
    #expect(lines.map { $0.prefix { $0 != "(" }.dropLast() } == names.map { $0[...] })
  }

  private func ended(_ watch: ForeignProgram) async throws -> [String] {
    let seen = try await watch.stop()
    #expect(seen.exit == 0, "\(seen.errors)")
    return seen.lines
  }

  @Test("calls and receives with a key of rpcctl; error messages distinguish wrong keys")
  func keys() async throws {
    let secure = try await SecureServer.start()
    let example = try await Example.c.value
    let file = secure.server.folder.file("ada.key")
    let generated = try await ForeignProgram.run(
      Repository.program("rpcctl"),
      ["keys", "generate", "-O", file]
    )
    #expect(generated.exit == 0, "\(generated.errors)")
    let pair = try KeyFile.pair(path: file)
    _ = try await secure.administration().createUser(
      .init(name: "ada", publicKey: .init(key: "\(pair.publicKey)"), roles: ["developer"])
    )
    var houses = Houses(example, endpoint: secure.server.rpcEndpoint)
    houses.environment["TIDINGS_KEY_FILE"] = file
    houses.environment["TIDINGS_SERVER_KEY"] = "\(secure.serverKey)"
    #expect(try await houses.output("save", "h1", "500") == "saved h1, change tag 1\n")
    _ = try await houses.output("subscribe", "price > 100")
    let watch = try houses.watch(secure.server.folder.file("position"))
    _ = try await houses.output("save", "h2", "500")
    #expect(try await watch.waitForLines("a notification") { $0.count == 1 }[0].hasPrefix("1-1 h2"))
    #expect(try await watch.stop().exit == 0)

    var stranger = houses
    stranger.environment["TIDINGS_KEY_FILE"] = secure.server.folder.file("stranger.key")
    _ = try await ForeignProgram.run(
      Repository.program("rpcctl"),
      ["keys", "generate", "-O", secure.server.folder.file("stranger.key")]
    )
    #expect(try await stranger.failure("fetch", "h1").contains("does not admit this key"))
    var misled = houses
    misled.environment["TIDINGS_SERVER_KEY"] = "\(KeyPair().publicKey)"
    #expect(try await misled.failure("fetch", "h1").contains("it has another key"))
    let bare = Houses(example, endpoint: secure.server.rpcEndpoint)
    // Whether client or server ends the handshake first is a race.
    let refusal = try await bare.failure("fetch", "h1")
    #expect(
      refusal.contains("requires authentication")
        || refusal.contains("only one of client and server uses keys"),
      "\(refusal)"
    )
    var mistyped = houses
    mistyped.environment["TIDINGS_SERVER_KEY"] = "short"
    #expect(try await mistyped.failure("fetch", "h1").contains("expected 40 characters"))
  }

  @Test("uses the next endpoint of a list where nobody listens, or a server drains or ends")
  func severalEndpoints() async throws {
    let (first, second) = (
      try await TestServer.startLasting(), try await TestServer.startLasting()
    )
    let example = try await Example.c.value
    var houses = Houses(example, endpoint: "\(first.rpcEndpoint), \(second.rpcEndpoint)")
    houses.environment["TIDINGS_USER"] = "ada"
    #expect(try await houses.output("save", "h1", "500") == "saved h1, change tag 1\n")
    let drained = try await ForeignProgram.run(
      Repository.program("rpcctl"),
      ["--endpoint", first.rpcEndpoint, "--as", "root", "server", "drain"]
    )
    #expect(drained.exit == 0, "\(drained.errors)")
    #expect(try await houses.output("save", "h2", "500") == "saved h2, change tag 1\n")
    try await first.crash()
    #expect(try await houses.output("fetch", "h2") == "h2: price 500\n")

    // The next server of its data, which publishes elsewhere.
    _ = try await houses.output("subscribe", "price > 100")
    let watch = try houses.watch(second.folder.file("position"))
    _ = try await houses.output("save", "h3", "500")
    try await watch.waitForLines("a notification") { $0.count == 1 }
    try await second.crash()
    let successor = try await TestServer.start(in: second.folder, rpc: first.rpcEndpoint)
    #expect(successor.pushEndpoint != second.pushEndpoint)
    for number in 4..<7 {
      _ = try await houses.output("save", "h\(number)", "500")
      try await watch.waitForLines("h\(number)") { $0.count == number - 2 }
    }
    #expect(try await watch.stop().exit == 0)
    try await successor.crash()
    let failure = try await houses.failure("fetch", "h1")
    #expect(
      failure.contains(
        "cannot reach \(first.rpcEndpoint): connection refused; "
          + "cannot reach \(second.rpcEndpoint): connection refused (status 14)"
      )
    )
  }

  @Test("reports a refused connection and an invalid position")
  func nobody() async throws {
    let example = try await Example.c.value
    let houses = Houses(example, endpoint: "tcp://127.0.0.1:1")
    #expect(
      try await houses.failure("fetch", "h1")
        == "houses: cannot reach tcp://127.0.0.1:1: connection refused (status 14)\n"
    )
    let server = try await TestServer.start()
    try server.folder.write([0xff, 0xff], to: "position")
    let reader = Houses(example, server)
    #expect(
      try await reader.failure("watch", server.folder.file("position"))
        .contains("cannot decode the position")
    )
  }
}
