import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct StatusVerbTests {
  @Test("status shows health and server info; not serving is a failure")
  func status() async {
    for (serving, exitCode) in [
      (TidingsRpcV1.ServingStatus.serving, ExitCode.success), (.notServing, .localFailure),
    ] {
      let run = await ProgramRun("status") { call in
        call.method.name == "Check"
          ? [TidingsRpcV1.CheckResponse(status: serving).encoded()]
          : [
            TidingsRpcV1.FetchServerInfoResponse(
              version: "9",
              limits: .init(itemsPerCallMax: 400),
              counters: .init(calls: 7)
            ).encoded()
          ]
      }
      #expect(run.exitCode == exitCode)
      #expect(run.out.contains(#""version":"9","limits":{"itemsPerCallMax":400}"#))
      #expect(run.out.contains(#""counters":{"calls":"7"}"#))
    }
  }
}
