internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// rpcd as a process: its one line, its signals, its exit codes.
@Suite(.endsServers) struct ProcessTests {
  private static let ports = ["--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0"]

  private func run(
    _ arguments: [String]
  ) async throws
    -> (exit: ServerProcess.Exit, output: String, errors: String)
  {
    let process = try ServerProcess(arguments: arguments)
    let exit = try await process.waitForExit()
    return (exit, process.seen.value.output, process.seen.value.errors)
  }

  @Test(
    "with too few descriptors it does not start, and says how many it needs",
    arguments: [20, 64, 100]
  )
  func fewDescriptors(count: Int) async throws {
    let folder = try TemporaryFolder()
    let process = try ServerProcess(
      arguments: Self.ports + ["--data", folder.file("data")],
      descriptorsMax: count
    )
    _ = try await process.seen.wait("rpcd to end or start") {
      $0.exit != nil || $0.output.contains("ready")
    }
    if process.seen.value.output.contains("ready") { process.send(9) }
    #expect(try await process.waitForExit() == .code(1))
    let errors = process.seen.value.errors
    #expect(errors.contains("may have \(count) files open and needs"), "\(errors)")
    let words = errors.split(separator: " ")
    let index = try #require(words.firstIndex(of: "needs"))
    let needed = try #require(Int(words[index + 1].dropLast()))
    let server = try await TestServer.start(in: folder, descriptorsMax: needed)
    try await server.client(as: "ada").save(.init("Houses", "h1"))
  }

  /// Moves the environment before Swift looks for the arguments beside it.
  private static let movesEnvironment = """
    #include <stdlib.h>
    extern void *__libc_malloc(size_t);
    static int done;
    void *malloc(size_t bytes) {
      if (!done) {
        done = 1;
        for (char c = 'a'; c <= 'z'; c++) {
          char name[] = {'P', c, 0};
          setenv(name, "x", 1);
        }
      }
      return __libc_malloc(bytes);
    }
    """

  @Test("a preloaded library that sets variables takes no argument away")
  func preloadedLibrary() async throws {
    let folder = try TemporaryFolder()
    let library = try PreloadLibrary.make("setenv", source: Self.movesEnvironment, in: folder)
    let process = try ServerProcess(
      arguments: ["--version", "", "--data", folder.file("none")],
      environment: [
        "LD_PRELOAD": library, "RPCD_DATA": folder.file("data"), "RPCD_RPC": "tcp://127.0.0.1:0",
      ]
    )
    _ = try await process.seen.wait("rpcd to end or start") {
      $0.exit != nil || $0.output.contains("ready")
    }
    if process.seen.value.output.contains("ready") { process.send(9) }
    #expect(try await process.waitForExit() == .code(0), "\(process.seen.value.errors)")
    #expect(process.seen.value.output.hasPrefix("rpcd 0."))
  }

  @Test(
    "one ready line on standard output, logs on standard error, SIGTERM and SIGINT end with 0",
    arguments: [15, 2] as [Int32]
  )
  func readyLineAndSignals(signal: Int32) async throws {
    let server = try await TestServer.start()
    try await server.client(as: "ada").save(.init("Houses", "h1"))
    server.process.send(signal)
    #expect(try await server.process.waitForExit() == .code(0))
    let seen = server.process.seen.value
    #expect(
      seen.output == "rpcd ready rpc=\(server.rpcEndpoint) push=\(server.pushEndpoint)\n"
    )
    #expect(!server.rpcEndpoint.hasSuffix(":0") && !server.pushEndpoint.hasSuffix(":0"))
    #expect(seen.errors.contains("warning development mode"))
  }

  @Test("SIGTERM answers the calls that run, refuses or cuts off the others, and loses nothing")
  func stopUnderLoad() async throws {
    var server = try await TestServer.startLasting()
    let acknowledged = Observed<[String]>([])
    let writers = try await (0..<8).asyncMap { index in
      let client = try await server.client(as: "ada", device: "writer-\(index)")
      return Task {
        var count = 0
        while true {
          let name = "h\(index)-\(count)"
          let error = await failure {
            // Without a key the call is sent once.
            let result = try await client.modify([.init("Houses", name)])[0]
            if result.record != nil { acknowledged.update { $0.append(name) } }
          }
          if let error { return error.code }
          count += 1
        }
      }
    }
    try await acknowledged.wait("saves") { $0.count > 100 }
    #expect(try await server.stop() == .code(0))
    server = try await server.restarted()
    for writer in writers {
      // A client that is connected again at once may have gone on with the next server.
      writer.cancel()
      let code = await writer.value
      #expect([.unavailable, .cancelled].contains(code), "\(code)")
    }
    let client = try await server.client(as: "ada")
    var names = acknowledged.value[...]
    while !names.isEmpty {
      let results = try await client.fetch(names.prefix(400).map { .init($0) })
      #expect(results.allSatisfy { $0.record != nil })
      names = names.dropFirst(400)
    }
  }

  @Test("streams end when the server stops")
  func stopEndsStreams() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let statuses = Observed<[TidingsRpcV1.ServingStatus]>([])
    let watcher = Task {
      await failure {
        for try await response in client.health.watch(.init()) {
          statuses.update { $0.append(response.status) }
        }
      }
    }
    try await statuses.wait("the first status") { $0 == [.serving] }
    #expect(try await server.stop() == .code(0))
    #expect(await watcher.value?.code == .unavailable)
  }

  @Test(
    "arguments that cannot be understood end with 2 and say why",
    arguments: [
      ["--nonsense"], ["--rpc"], ["operand"], ["--log-level", "loud"], ["--log-level="],
      ["--config", "/nonexistent/rpcd.conf"], ["--advertise-push", "tcp://*:5571"],
      ["--advertise-push", "tcp://push.example:0"], ["--advertise-push", "push.example:5571"],
    ]
  )
  func badArguments(arguments: [String]) async throws {
    let (exit, output, errors) = try await run(arguments)
    #expect(exit == .code(2), "\(errors)")
    #expect(output == "")
    #expect(errors.contains("rpcd: ") && errors.contains("--help"), "\(errors)")
  }

  @Test("what cannot be used ends with 1 and says what to do")
  func unusable() async throws {
    let folder = try TemporaryFolder()
    try folder.write([], to: "file")
    let data = ["--data", folder.file("data")]
    let taken = try await TestServer.start()
    let cases: [([String], String)] = [
      (["--rpc", taken.rpcEndpoint, "--push", "tcp://127.0.0.1:0"] + data, "in use"),
      (["--rpc", "tcp://127.0.0.1:0", "--push", taken.pushEndpoint] + data, "in use"),
      (["--rpc", "tcp://0.0.0.0:0", "--push", "tcp://127.0.0.1:0"] + data, "authenticated"),
      (["--rpc", "tcp://127.0.0.1:0", "--push", "tcp://*:0"] + data, "authenticated"),
      (Self.ports + ["--data", folder.file("no/such/folder")], "cannot create"),
      (Self.ports + ["--data", folder.file("file")], "file"),
    ]
    for (arguments, words) in cases {
      let (exit, output, errors) = try await run(arguments)
      #expect(exit == .code(1), "\(arguments): \(errors)")
      #expect(output == "")
      #expect(errors.contains(words), "\(arguments): \(errors)")
    }
    try await taken.client(as: "ada").save(.init("Houses", "h1"))
  }

  @Test("help and version are printed on standard output and end with 0")
  func helpAndVersion() async throws {
    let help = try await run(["--help"])
    #expect(help.exit == .code(0) && help.errors == "")
    for option in ["--rpc", "--push", "--advertise-push", "--data", "--log-level", "--config"] {
      #expect(help.output.contains(option))
    }
    let version = try await run(["--version"])
    #expect(version.exit == .code(0) && version.output == "rpcd \(Version.current)\n")
    let all = try await run(["--version", "--verbose"])
    let lines = all.output.split(separator: "\n").dropFirst()
    let words = lines.map { $0.split(separator: " ") }
    let libraries = [
      "libzmq", "protobuf-c", "libsodium", "SQLite", "libmicrohttpd", "libcurl", "libpq",
    ]
    #expect(words.map { String($0[0]) } == libraries)
    for word in words { #expect(word.count == 2 && word[1].first?.isNumber == true) }
  }

  @Test("clients get the advertised push endpoint")
  func advertisedPushEndpoint() async throws {
    let server = try await TestServer.start(
      arguments: ["--advertise-push", "tcp://push.example:7777"]
    )
    let client = try await server.client(as: "ada")
    let reported = try await client.notifications.registerDevice(.init()).pushEndpoint
    #expect(reported == "tcp://push.example:7777")
    let info = try await client.server.fetchServerInfo(.init())
    #expect(info.pushEndpoint == server.pushEndpoint)
  }

  @Test("a configuration file sets options, the command line wins over it")
  func configurationFile() async throws {
    let folder = try TemporaryFolder()
    let text = """
      # Where this server listens.
      rpc = ipc://\(folder.file("rpc.sock"))
      push = ipc://\(folder.file("push.sock"))
      data = \(folder.file("other"))
      log-level = debug

      """
    try folder.write(Array(text.utf8), to: "rpcd.conf")
    let process = try ServerProcess(
      arguments: ["--config", folder.file("rpcd.conf"), "--data", folder.file("data")])
    let line = try await process.waitForReadyLine()
    #expect(
      line
        == "rpcd ready rpc=ipc://\(folder.file("rpc.sock")) push=ipc://\(folder.file("push.sock"))"
    )
    var configuration = ClientConfiguration(endpoint: "ipc://\(folder.file("rpc.sock"))")
    configuration.user = "ada"
    let client = try await Client(configuration)
    try await client.subscribe(.init("all", "Houses"))
    let stream = Collector(client)
    try await client.save(.init("Houses", "h1"))
    try await stream.wait(for: 1)
    process.send(15)
    #expect(try await process.waitForExit() == .code(0))
    #expect(try folder.contents("data").keys.contains("lock"))

    try folder.write(Array("colour = blue\n".utf8), to: "bad.conf")
    let bad = try await run(["--config", folder.file("bad.conf")])
    #expect(bad.exit == .code(2) && bad.errors.contains("colour"), "\(bad.errors)")
    for (text, words) in [
      ("page-items-max=0", "bad.conf, line 2: limit page-items-max takes a whole number"),
      ("page-item-max=1", "bad.conf, line 2: limit: unknown limit 'page-item-max'; did you mean"),
    ] {
      try folder.write(Array("\nlimit = \(text)\n".utf8), to: "bad.conf")
      let bad = try await run(["--config", folder.file("bad.conf")])
      #expect(bad.exit == .code(2) && bad.errors.contains(words), "\(bad.errors)")
    }
  }

  @Test("the log level decides what is said")
  func logLevel() async throws {
    for (level, words, isSaid) in [
      ("info", "store opened", true), ("warning", "store opened", false),
      ("warning", "development mode", true), ("error", "development mode", false),
    ] {
      let folder = try TemporaryFolder()
      let process = try ServerProcess(
        arguments: Self.ports + ["--data", folder.file("data"), "--log-level", level]
      )
      _ = try await process.waitForReadyLine()
      process.send(15)
      #expect(try await process.waitForExit() == .code(0))
      #expect(process.seen.value.errors.contains(words) == isSaid, "\(level)")
    }
  }

  @Test("the server shows its version, endpoints, limits and counters")
  func serverInfo() async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada")
    try await client.save(.init("Houses", "h1"))
    let info = try await client.server.fetchServerInfo(.init())
    #expect(info.rpcEndpoint == server.rpcEndpoint && info.pushEndpoint == server.pushEndpoint)
    #expect(info.limits?.itemsPerCallMax == 400 && info.limits?.recordBytesMax == 1_000_000)
    #expect(info.counters?.recordsSaved == 1 && info.developmentMode)
    #expect(info.incarnation.utf8.count == 16)
    try await server.stop()
    let again = try await server.restarted()
    let after = try await again.client(as: "ada").server.fetchServerInfo(.init())
    #expect(after.incarnation == info.incarnation)
  }
}

/// A second server must leave the first alone.
@Suite(.endsServers) struct SecondServerTests {
  @Test("a second rpcd with the same ipc endpoints fails, and the first still answers")
  func sameEndpoints() async throws {
    let folder = try TemporaryFolder()
    let arguments = [
      "--rpc", "ipc://\(folder.path)/rpc", "--push", "ipc://\(folder.path)/push",
      "--data", "\(folder.path)/data",
    ]
    let first = try ServerProcess(arguments: arguments)
    try await first.seen.wait("the ready line") { $0.output.contains("ready") }

    let second = try ServerProcess(arguments: arguments)
    #expect(try await second.waitForExit() == .code(1))
    #expect(second.seen.value.errors.contains("another rpcd uses the data folder"))

    let client = try await Client(ClientConfiguration(endpoint: "ipc://\(folder.path)/rpc"))
    #expect(try await client.health.check(.init()).status == .serving)
    await client.close()
    first.send(15)
    #expect(try await first.waitForExit() == .code(0))
  }
}
