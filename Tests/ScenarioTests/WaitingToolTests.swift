internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsRPC

@testable import rpcctl

/// What rpcctl does, and says, while there is no connection.
@Suite(.endsServers) struct WaitingToolTests {
  /// A run of rpcctl at an endpoint where there may be no server yet.
  private struct Run {
    let out = Observed("")
    let err = Observed("")
    private let program: Program

    init(_ endpoint: String, _ arguments: [String]) {
      program = Program(
        ["--endpoint", endpoint, "--as", "ada", "--device", "laptop"] + arguments,
        environment: ["RPCCTL_CONNECT_TIMEOUT": "10m"],
        input: .system,
        output: Output(
          format: .jsonl,
          writeData: { [out] bytes in out.update { $0 += String(decoding: bytes, as: UTF8.self) } },
          writeMessage: { [err] bytes in
            err.update { $0 += String(decoding: bytes, as: UTF8.self) }
          }
        ),
        connect: Program.connect
      )
    }

    func exitCode() async -> ExitCode { await program.run() }

    func waitForReason(_ reason: String) async throws {
      try await err.wait("'\(reason)' to be said") { $0.contains(reason) }
    }
  }

  private let ports = (rpc: ReservedPort(), push: ReservedPort())

  private func startServer() async throws -> TestServer {
    try await TestServer.start(
      rpc: ports.rpc.endpoint,
      push: ports.push.endpoint,
      keeping: [ports.rpc, ports.push]
    )
  }

  private var reason: String {
    "rpcctl: waiting for a connection: cannot reach \(ports.rpc.endpoint): connection refused\n"
  }

  @Test("watch waits for a server that is not there yet, and says why")
  func watch() async throws {
    let run = Run(ports.rpc.endpoint, ["watch", "--once"])
    async let exitCode = run.exitCode()
    try await run.waitForReason(reason)
    let server = try await startServer()
    let client = try await server.client(as: "ada", device: "server")
    try await client.subscribe(.init("all", "Houses"))
    try await client.save(.init("Houses", "h1"))
    #expect(await exitCode == .success)
    #expect(run.out.value.contains("h1"))
    #expect(run.err.value.hasSuffix("rpcctl: connected\n"), "\(run.err.value)")
  }

  @Test("a watch that has a time limit waits for no longer")
  func limitedWatch() async throws {
    let run = Run(ports.rpc.endpoint, ["watch", "--once", "--timeout", "50ms"])
    #expect(await run.exitCode() == .conditionNotMet)
  }

  @Test("every verb waits as long as it may, and says why")
  func call() async throws {
    let run = Run(ports.rpc.endpoint, ["fetch-zones"])
    async let exitCode = run.exitCode()
    try await run.waitForReason(reason)
    _ = try await startServer()
    #expect(await exitCode == .success)
    let impatient = Run(ReservedPort().endpoint, ["fetch-zones", "--connect-timeout", "50ms"])
    #expect(await impatient.exitCode() == .failedCall(.unavailable))
  }

  /// `six.test` has an address of IPv6 alone, `both.test` has another one where nobody listens.
  private static let names = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <netdb.h>
    #include <string.h>
    #include <sys/socket.h>
    typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
      int is_both = name && strcmp(name, "both.test") == 0;
      if (is_both || (name && strcmp(name, "six.test") == 0)) {
        if (hints && hints->ai_family == AF_INET6) name = "::1";
        else if (is_both) name = "127.254.254.254";
        else return EAI_NONAME;
      }
      return ((lookup)dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
    }
    """

  @Test(
    "a name is reached at its address of IPv6, if the other one is dead, or if there is no other"
  )
  func names() async throws {
    let folder = try TemporaryFolder()
    let library = try PreloadLibrary.make("names", source: Self.names, in: folder)
    let server = try await TestServer.start(rpc: "tcp://[::1]:0")
    let port = try #require(server.rpcEndpoint.split(separator: ":").last)
    for host in ["six.test", "both.test", "[::1]"] {
      let run = try ServerProcess(
        "rpcctl",
        arguments: [
          "fetch-zones", "--endpoint", "tcp://\(host):\(port)", "--as", "ada",
          "--connect-timeout", "10m", "--timeout", "10m",
        ],
        environment: ["LD_PRELOAD": library]
      )
      #expect(try await run.waitForExit() == .code(0), "\(host): \(run.seen.value.errors)")
    }
  }

  @Test("without file descriptors there is an error, and the process does not abort")
  func descriptors() async throws {
    let run = try ServerProcess(
      "rpcctl",
      arguments: ["fetch-zones", "--endpoint", ports.rpc.endpoint, "--as", "ada"],
      descriptorsMax: 20
    )
    #expect(try await run.waitForExit() == .code(72), "\(run.seen.value.errors)")
    #expect(run.seen.value.errors.contains("file descriptors are in use"))
  }
}
