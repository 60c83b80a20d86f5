import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ServerVerbTests {
  private static let info = TidingsRpcV1.FetchServerInfoResponse(
    version: "9\"x",
    rpcEndpoint: "tcp://h:1",
    incarnation: "00ff",
    started: .init(seconds: 1_700_000_000),
    limits: .init(frameBytesMax: 77, itemsPerCallMax: 400),
    counters: .init(calls: 7, pushes: 2)
  )

  private static func server(_ call: ScriptedTransport.Call) throws(RPCError) -> [[UInt8]] {
    switch call.method.name {
    case "FetchServerInfo": return [info.encoded()]
    case "Check": return [TidingsRpcV1.CheckResponse(status: .notServing).encoded()]
    case "Watch":
      return [
        TidingsRpcV1.WatchResponse(status: .notServing).encoded(),
        TidingsRpcV1.WatchResponse(status: .serving).encoded(),
      ]
    default: throw RPCError(.unimplemented, call.method.name)
    }
  }

  @Test("metrics are in Prometheus format: each counter of the contract, including zeros")
  func prometheus() async throws {
    let run = await ProgramRun("server", "metrics", answer: Self.server)
    #expect(
      run.out.contains(
        "# TYPE tidings_info gauge\ntidings_info{version=\"9\\\"x\",incarnation=\"00ff\"} 1\n"
      )
    )
    #expect(run.out.contains("tidings_start_time_seconds 1700000000\n"))
    #expect(run.out.contains("# TYPE tidings_calls_total counter\ntidings_calls_total 7\n"))
    #expect(run.out.contains("tidings_calls_failed_total 0\n"))
    for line in run.out.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
    }
    let json = await ProgramRun("server", "metrics", "--format", "json", answer: Self.server)
    #expect(json.out.contains(#""tidings_calls_total":7,"tidings_calls_failed_total":0"#))
  }

  @Test("limits have the names of rpcd --limit")
  func limits() async {
    let run = await ProgramRun("server", "limits", answer: Self.server)
    #expect(run.out.hasPrefix(#"{"name":"frame-bytes-max","value":77}"# + "\n"))
    #expect(run.out.contains(#"{"name":"items-per-call-max","value":400}"#))
  }

  @Test("health is printed once, or on each change; the exit code is that of the last")
  func health() async {
    let once = await ProgramRun("server", "health", answer: Self.server)
    #expect(once.exitCode == .localFailure && once.out.contains(#""status":"NOT_SERVING""#))
    let watch = await ProgramRun("server", "health", "--watch", "a.B", answer: Self.server)
    #expect(watch.exitCode == .success && watch.out.split(separator: "\n").count == 2)
    #expect(watch.calls[0].options.timeout == nil)
    #expect((try? TidingsRpcV1.WatchRequest(decoding: watch.calls[0].request))?.service == "a.B")
  }

  @Test("status is short for server status, and there is no other such verb")
  func status() async {
    for words in [["server", "status"], ["status"]] {
      let run = await ProgramRun(list: words, answer: Self.server)
      #expect(run.exitCode == .localFailure && run.out.contains(#""health":"NOT_SERVING""#))
      #expect(run.out.contains(#""rpcEndpoint":"tcp://h:1""#))
    }
    #expect(await ProgramRun("server", "info").exitCode == .usage)
  }
}
