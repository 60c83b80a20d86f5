import CheckCore
import Foundation
import TestSupport
import Testing

@Suite(.endsServers) struct ProgramTests {
  @Test("a run prints a line for each workload, and saves a history that is decided the same")
  func run() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    let run = try await CheckProcess([
      "run", "--endpoint", server.rpcEndpoint, "--duration", "2m", "--calls", "200", "--workloads",
      "register,leases", "--history", folder.file("histories"), "--seed", "7", "--timeout", "30s",
    ])
    #expect(run.exit == .code(0), "\(run.output)\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.first?.hasPrefix("register  ") == true && lines.first?.hasSuffix(": ok") == true)
    #expect(lines.dropFirst(2).first == "no violation found, seed 7")
    let path = try #require(lines.last?.split(separator: " ").last.map(String.init))
    let verified = try await CheckProcess(["verify", path])
    #expect(verified.exit == .code(0))
    #expect(verified.output.split(separator: "\n") == lines.dropLast())
  }

  @Test("a violation ends with 1, and the history shows it again")
  func violation() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    let run = try await CheckProcess([
      "run", "--endpoint", server.rpcEndpoint, "--duration", "2m", "--calls", "400", "--workloads",
      "set", "--history", folder.file("histories"), "--fault", "lost-insert", "--timeout", "30s",
    ])
    #expect(run.exit == .code(1), "\(run.output)\(run.errors)")
    #expect(run.output.contains("is lost\n  process"))
    #expect(run.output.contains("1 of 1 workloads failed, seed "))
    let path = try #require(run.output.split(separator: " ").last?.split(separator: "\n").last)
    let verified = try await CheckProcess(["verify", String(path)])
    #expect(verified.exit == .code(1))
    #expect(run.output.hasPrefix(verified.output))
  }

  @Test(
    "a wrong command line ends with 2",
    arguments: [
      ["run", "--workloads", "registers"], ["run", "--clients", "1"], ["verify"], ["walk"],
      ["run", "--fault", "none"], ["run", "--seed", "x"], ["run", "--endpoint", "nowhere"],
    ]
  )
  func usage(_ arguments: [String]) async throws {
    let run = try await CheckProcess(arguments)
    #expect(run.exit == .code(2), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("Try 'tidings-check --help'."))
  }

  @Test("help names the verbs and options, and a server that is not there is reported")
  func help() async throws {
    #expect(try await CheckProcess(["--help"]).output.contains("verify"))
    #expect(try await CheckProcess(["help", "run"]).output.contains("--duration TIME"))
    let folder = try TemporaryFolder()
    let missing = try await CheckProcess(["verify", folder.file("none")])
    #expect(missing.exit == .code(1) && missing.errors.contains("cannot read"))
    let nobody = try await CheckProcess(["run", "--endpoint", "tcp://127.0.0.1:1"])
    #expect(nobody.exit == .code(1) && nobody.errors.contains("cannot reach"))
  }
}
