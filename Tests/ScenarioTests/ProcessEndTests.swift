internal import TestSupport
internal import Testing

/// No program lets libraries clean up while its threads use them.
@Suite(.endsServers) struct ProcessEndTests {
  /// Aborts where libraries clean up, if there is another thread: OpenSSL's takes the lock away that each thread needs
  /// for its end.
  private static let watchesEnd = """
    #include <dirent.h>
    #include <stdlib.h>
    static void look(void) {
      int count = 0;
      DIR *threads = opendir("/proc/self/task");
      for (struct dirent *entry; threads && (entry = readdir(threads));) count += entry->d_name[0] != '.';
      if (count > 1) abort();
    }
    __attribute__((constructor)) static void watch(void) { atexit(look); }
    """

  private static let free = "tcp://127.0.0.1:0"

  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    let library = try PreloadLibrary.make("watch-end", source: Self.watchesEnd, in: folder)
    environment = ["LD_PRELOAD": library]
  }

  @Test("a server that is stopped ends with 0")
  func stopped() async throws {
    let server = try await TestServer.start(environment: environment)
    try await server.client(as: "ada").save(.init("Houses", "h1"))
    #expect(try await server.stop() == .code(0))
  }

  @Test("a server that cannot start ends with 1 and the reason")
  func failedStart() async throws {
    let server = try await TestServer.start()
    let process = try ServerProcess(
      arguments: ["--rpc", server.rpcEndpoint, "--push", Self.free, "--data", folder.file("data")],
      environment: environment
    )
    #expect(try await process.waitForExit() == .code(1))
    #expect(process.seen.value.errors.contains("in use"), "\(process.seen.value.errors)")
  }

  @Test("programs beside a server end with 0 when they are stopped")
  func neighbours() async throws {
    let server = try await TestServer.start()
    for (program, arguments) in [
      ("rpcgw", ["--rpc", server.rpcEndpoint, "--listen", "127.0.0.1:0"]),
      ("rpcdeliver", ["--rpc", server.rpcEndpoint]),
    ] {
      let process = try ServerProcess(program, arguments: arguments, environment: environment)
      _ = try await process.waitForReadyLine()
      process.send(15)
      #expect(try await process.waitForExit() == .code(0), "\(program)")
    }
  }

  @Test("a command ends with its result")
  func command() async throws {
    let server = try await TestServer.start()
    let done = try ServerProcess(
      "rpcctl",
      arguments: ["fetch-zones", "--endpoint", server.rpcEndpoint, "--as", "ada"],
      environment: environment
    )
    #expect(try await done.waitForExit() == .code(0), "\(done.seen.value.errors)")
  }
}
