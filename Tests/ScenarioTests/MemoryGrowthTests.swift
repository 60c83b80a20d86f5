import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// What stays in memory because a client once asked for it.
@Suite(.serialized, .endsServers) struct MemoryGrowthTests {
  @Test("streams whose requests are large are refused beyond a share, others are not")
  func requestsOfStreams() async throws {
    let server = try await TestServer.start(arguments: MemoryBound.arguments)
    let peer = try await ZMTPPeer.connect(server.rpcEndpoint)
    func watch(_ id: UInt64, nameBytes: Int) async throws {
      let name = String(repeating: "x", count: nameBytes)
      let body = TidingsRpcV1.WatchRequest(service: name).encoded()
      var call = RawCall("tidings.rpc.v1.HealthService/Watch", body)
      call.header.callID = id
      try await peer.send([call.header.encoded(), call.body])
    }
    for id in 1...60 as ClosedRange<UInt64> {
      try await watch(id, nameBytes: 4 << 20)
      let header = try RawCall.answer(try await peer.receive()).0
      #expect(header.status == StatusCode.resourceExhausted.rawValue, "call \(id)")
    }
    try await watch(100, nameBytes: 10)
    #expect(try RawCall.answer(try await peer.receive()).0.status == 0)
    try MemoryBound.expectKept(by: server)
  }

  @Test("schemas of many containers are forgotten")
  func schemas() async throws {
    let server = try await TestServer.start(arguments: MemoryBound.arguments)
    let ada = try await server.client(as: "ada")
    let types = (0..<50).map { type in
      let fields = (0..<100).map { "field\($0)OfType\(type) STRING" }
      return "RECORD TYPE Type\(type) ( \(fields.joined(separator: ", ")) );"
    }
    let text = "DEFINE SCHEMA " + types.joined(separator: "\n")
    for number in 0..<40 {
      let container = "c\(number)"
      _ = try await ada.schemas.applySchema(.init(container: container, text: text))
      #expect(try await !ada.schemas.fetchSchema(.init(container: container)).text.isEmpty)
    }
    try MemoryBound.expectKept(by: server)
  }
}
