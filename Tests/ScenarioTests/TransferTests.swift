import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsProto

@testable import rpcctl

/// rpcctl's import and export against a real server.
@Suite(.endsServers) struct TransferTests {
  private struct Run {
    let out: String
    let err: String
    let exitCode: ExitCode
  }

  private static func rpcctl(_ server: TestServer, _ arguments: String...) async -> Run {
    await rpcctl(at: server.rpcEndpoint, arguments)
  }

  private static func rpcctl(at endpoint: String, _ arguments: [String]) async -> Run {
    let (out, err) = (Text(), Text())
    let program = Program(
      ["--endpoint", endpoint, "--as", "ada", "--timeout", "60s"] + arguments,
      environment: [:],
      input: .system,
      output: Output(
        format: .jsonl,
        writeData: { out.append($0) },
        writeMessage: { err.append($0) }
      ),
      connect: Program.connect
    )
    let exitCode = await program.run()
    return Run(out: out.text, err: err.text, exitCode: exitCode)
  }

  private final class Text: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
  }

  private static func file(_ count: Int) -> String {
    (0..<count).map { number in
      let zone = number % 3 == 0 ? #","zoneName":"notes""# : ""
      return
        #"{"recordType":"T","recordName":"h\#(number)"\#(zone),"fields":{"n":\#(number),"d":1.5,"#
        + #""s":"ä","t":{"timestamp":"2026-01-02T03:04:05.678Z"},"l":[1,2]}}"# + "\n"
    }.joined()
  }

  @Test("an import that loses its server goes on at the next, and nothing is applied twice")
  func importOverACrash() async throws {
    let server = try await TestServer.startLasting()
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.file(5_000).utf8), to: "f")
    // The file has three times as much.
    let proxy = try StoppingProxy(to: server.rpcPort)
    proxy.allow(200_000)
    let crash = Task {
      try await waitUntil("the import to be somewhere within") { proxy.isStopping }
      let client = try await server.client(as: "ada")
      let results = try await client.fetch([.init("h1"), .init("h4999")])
      #expect(results.map { $0.record != nil } == [true, false])
      try await server.crash()
      let next = try await server.restarted()
      proxy.allow(.max / 2)
      return next
    }
    var run = await Self.rpcctl(
      at: "tcp://127.0.0.1:\(proxy.port)",
      ["import", folder.file("f"), "--batch", "50"]
    )
    let next = try await crash.value
    if run.exitCode != .success {
      run = await Self.rpcctl(next, "import", folder.file("f"), "--batch", "50", "--resume")
    }
    #expect(run.exitCode == .success, "\(run.err)")
    #expect(run.out.hasPrefix(#"{"saved":5000,"deleted":0,"failed":0,"#), "\(run.out)")
    let zones = await Self.rpcctl(next, "fetch-zones", "notes")
    // One change a batch: as many as there are batches, if none was applied twice.
    #expect(zones.out.contains(#""sequenceNumber":"100""#), "\(zones.out)")
  }

  @Test("what the server refuses is reported line by line")
  func refusals() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    let lines = [
      #"{"recordType":"T","recordName":"a","fields":{"n":1}}"#,
      #"{"recordType":"T","recordName":"_a","fields":{"n":1}}"#,
      #"{"recordType":"T","recordName":"b","fields":{"n":"text"}}"#,
      #"{"recordType":"T","recordName":"c","fields":{"n":2}}"#,
    ]
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "f")
    let run = await Self.rpcctl(server, "import", folder.file("f"))
    #expect(run.exitCode == .itemsFailed)
    let reported = run.err.split(separator: "\n").map { $0.dropFirst(folder.file("f").count) }
      .sorted()
    #expect(reported.count == 2, "\(run.err)")
    #expect(reported.first?.hasPrefix(", line 2: ") ?? false)
    #expect(reported.last?.hasPrefix(", line 3: ") ?? false)
    let client = try await server.client(as: "ada")
    #expect(try await client.fetch([.init("c")]).first?.record != nil)
  }
}
