import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ReflectionVerbTests {
  /// A server with the health and the record service, by reflection.
  static func server(_ call: ScriptedTransport.Call) throws(RPCError) -> [[UInt8]] {
    switch call.method.name {
    case "FetchFileDescriptorSet":
      var set: [UInt8] = []
      let files =
        TidingsRpcV1.HealthService.descriptor.fileDescriptors
        + TidingsV1.RecordService.descriptor.fileDescriptors
      for file in files { set += [0x0A] + varint(file.count) + file }
      return [TidingsRpcV1.FetchFileDescriptorSetResponse(fileDescriptorSet: set).encoded()]
    case "Check": return [TidingsRpcV1.CheckResponse(status: .serving).encoded()]
    case "Watch":
      return [
        TidingsRpcV1.WatchResponse(status: .serving).encoded(),
        TidingsRpcV1.WatchResponse(status: .notServing).encoded(),
      ]
    default: throw RPCError(.unimplemented, "not here")
    }
  }

  private static func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127 | 128)] + varint(value >> 7)
  }

  @Test("a unary call by the service's short name, with metadata")
  func unary() async throws {
    let run = await ProgramRun(
      "call",
      "HealthService/Check",
      #"{"service":"x"}"#,
      "-H",
      "key=a=b",
      answer: Self.server
    )
    #expect(run.out == #"{"status":"SERVING_STATUS_SERVING"}"# + "\n")
    let call = try #require(run.calls.last)
    #expect(call.method.fullName == "tidings.rpc.v1.HealthService/Check")
    #expect(call.method.idempotency == .noSideEffects)
    #expect(try TidingsRpcV1.CheckRequest(decoding: call.request).service == "x")
    #expect(call.options.metadata["key"] == "a=b")
  }

  @Test("a stream prints each message, and has no default time limit")
  func stream() async throws {
    let run = await ProgramRun("call", "tidings.rpc.v1.HealthService/Watch", answer: Self.server)
    #expect(
      run.out == """
        {"status":"SERVING_STATUS_SERVING"}
        {"status":"SERVING_STATUS_NOT_SERVING"}

        """
    )
    #expect(try #require(run.calls.last).options.timeout == nil)
  }

  @Test(
    "unknown names get suggestions",
    arguments: [
      (
        ["call", "HealthService/Chek"],
        "unknown method 'Chek' of tidings.rpc.v1.HealthService; did you mean Check?"
      ),
      (
        ["call", "HealtService/Check"],
        "unknown service 'HealtService'; did you mean HealthService?"
      ),
      (
        ["call", "Check"],
        "invalid method 'Check': use SERVICE/METHOD; list services with `rpcctl describe`"
      ),
      (
        ["call", "HealthService/Check", #"{"servic":1}"#],
        "invalid request of type tidings.rpc.v1.CheckRequest: servic: tidings.rpc.v1.CheckRequest has no such field"
      ),
      (["describe", "Recrd"], "unknown symbol 'Recrd'; did you mean Record?"),
    ]
  )
  func suggestions(arguments: [String], message: String) async {
    let run = await ProgramRun(list: arguments, answer: Self.server)
    #expect(run.err == "rpcctl: \(message)\n" && run.exitCode == .usage)
  }

  @Test("describe prints .proto syntax")
  func describe() async {
    let run = await ProgramRun("describe", "RecordResult", "-o", "table", answer: Self.server)
    #expect(
      run.out == """
        message tidings.v1.RecordResult {
          tidings.v1.RecordID record_id = 1;
          oneof outcome {
            tidings.v1.Record record = 2;
            bool deleted = 3;
            tidings.v1.ItemError error = 4;
          }
          tidings.v1.Record server_record = 5;
          tidings.v1.Record ancestor_record = 6;
        }

        """
    )
    let method = await ProgramRun("describe", "HealthService/Watch", answer: Self.server)
    #expect(
      method.out.hasPrefix(#"{"name":"tidings.rpc.v1.HealthService/Watch","text":"rpc Watch("#)
    )
    let services = await ProgramRun("describe", answer: Self.server)
    #expect(services.out.split(separator: "\n").count == 2)
  }
}
