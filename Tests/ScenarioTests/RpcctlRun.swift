import Synchronization
import TestSupport

@testable import rpcctl

/// A run of rpcctl against a real server.
struct RpcctlRun {
  let out: String
  let err: String
  let exitCode: ExitCode

  /// The lines of the output.
  var lines: [Substring] { out.split(separator: "\n") }

  /// Runs rpcctl as a user of a server, patient with a machine that has other work.
  init(
    _ server: TestServer,
    _ arguments: [String],
    as user: String? = "ada",
    environment: [String: String] = [:],
    format: OutputFormat = .jsonl
  ) async {
    let (out, err) = (Text(), Text())
    let program = Program(
      ["--endpoint", server.rpcEndpoint] + (user.map { ["--as", $0] } ?? []) + arguments,
      environment: ["RPCCTL_TIMEOUT": "10m", "RPCCTL_CONNECT_TIMEOUT": "60s"]
        .merging(environment) { $1 },
      input: .system,
      output: Output(
        format: format,
        writeData: { out.append($0) },
        writeMessage: { err.append($0) }
      ),
      connect: Program.connect
    )
    exitCode = await program.run()
    self.out = out.text
    self.err = err.text
  }

  private final class Text: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
  }
}
