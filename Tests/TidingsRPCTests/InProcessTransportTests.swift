import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC

@Suite("InProcessTransport") struct InProcessTransportTests {
  @Test("interop", arguments: InteropCases.Name.allCases)
  func interop(name: InteropCases.Name) async {
    let probe = Probe()
    let transport = InProcessTransport(
      router: CallRouter([InteropService(probe: probe)]),
      frameBytesMax: 1 << 20
    )
    let cases = InteropCases(transport, probe: probe, frameBytesMax: 1 << 20)
    let problem = await cases.run(name)
    #expect(problem == nil)
  }
}
