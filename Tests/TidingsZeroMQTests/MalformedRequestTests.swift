import CZeroMQ
import RPCTestSupport
import RandomSupport
import Testing
import TidingsInterop
import TidingsProto
import TidingsProtobuf
import TidingsRPC
import TidingsZeroMQ

@Suite("malformed requests are answered") struct MalformedRequestTests {
  private typealias Header = TidingsRpcV1.RequestHeader
  private let method = InteropService.empty.fullName

  @Test("messages that are no request", arguments: Fault.allCases)
  func faults(fault: Fault) async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    dealer.send(fault.frames)
    let (header, body, _) = try await dealer.response()
    #expect(header.callID == 0)
    #expect(header.status == fault.code.rawValue)
    #expect(!header.message.isEmpty && header.endOfStream && body.isEmpty)
    #expect(await server.counters().requestsMalformed == 1)
    try await expectAnswer(dealer)
    await server.stop()
  }

  enum Fault: String, CaseIterable, Sendable {
    case oneFrame, oneEmptyFrame, emptyHeader, undecodable, truncated, tooManyFrames, largeHeader

    var frames: [[UInt8]] {
      switch self {
      case .oneFrame: [[8, 1]]
      case .oneEmptyFrame: [[]]
      case .emptyHeader: [[], [1, 2, 3]]
      case .undecodable: [[0xff, 0xff, 0xff], []]
      case .truncated:
        [Array(TidingsRpcV1.RequestHeader(callID: 1, method: "a/b").encoded().dropLast()), []]
      case .tooManyFrames: Array(repeating: [8, 1], count: 100)
      case .largeHeader: [[UInt8](repeating: 0, count: 17 * 1024), []]
      }
    }

    var code: StatusCode { self == .largeHeader ? .resourceExhausted : .invalidArgument }
  }

  @Test("REQ works, and is answered when it sends one frame")
  func req() async throws {
    let server = try await TestServer.start()
    let req = RawSocket(ZMQ_REQ, connectedTo: server.endpoint)
    try await expectAnswer(req)
    req.send([[8, 1]])
    #expect(try await req.response().header.status == StatusCode.invalidArgument.rawValue)
    try await expectAnswer(req)
    await server.stop()
  }

  @Test("an envelope is echoed", arguments: [[[]], [[7, 7]], [[1], [2], []]] as [[[UInt8]]])
  func envelope(envelope: [[UInt8]]) async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    for body in [[], [1, 2, 3]] as [[UInt8]] {
      dealer.call(Header(callID: 9, method: method), body, envelope: envelope)
      let response = try await dealer.response()
      #expect(response.envelope == envelope)
      #expect(response.body == body)
      #expect(
        response.header == .init(callID: 9, endOfStream: true, hasMessage: true)
      )
    }
    await server.stop()
  }

  @Test("a client's own long routing id works")
  func routingID() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER)
    let name = [UInt8](repeating: 0x61, count: 200)
    dealer.setRoutingID(name)
    dealer.connect(server.endpoint)
    try await expectAnswer(dealer)
    await server.stop()
  }

  @Test("headers that break a rule")
  func rules() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    func code(_ header: Header) async throws -> StatusCode {
      dealer.call(header)
      let response = try await dealer.response()
      #expect(response.header.callID == header.callID)
      return StatusCode(rawValue: response.header.status)
    }
    let many = Dictionary(uniqueKeysWithValues: (0...64).map { ("k\($0)", "") })
    #expect(
      try await code(.init(callID: 1, kind: .init(rawValue: 9), method: method)) == .invalidArgument
    )
    #expect(
      try await code(.init(callID: 2, method: method, metadata: ["A": ""])) == .invalidArgument
    )
    #expect(
      try await code(.init(callID: 3, method: method, metadata: ["": ""])) == .invalidArgument
    )
    #expect(try await code(.init(callID: 4, method: method, metadata: many)) == .resourceExhausted)
    for key in [Metadata.userKey, Metadata.deviceKey] {
      let large = [key: String(repeating: "x", count: WireLimits.metadataBytesMax)]
      #expect(
        try await code(.init(callID: 4, method: method, metadata: large)) == .resourceExhausted
      )
    }
    #expect(
      try await code(
        .init(callID: 5, method: method, idempotencyKey: String(repeating: "k", count: 65))
      )
        == .invalidArgument
    )
    #expect(
      try await code(.init(callID: 6, method: String(repeating: "m", count: 256)))
        == .invalidArgument
    )
    #expect(try await code(.init(callID: 7, method: "no slash")) == .invalidArgument)
    #expect(try await code(.init(callID: 8)) == .invalidArgument)
    #expect(try await code(.init(callID: 9, method: method + "x")) == .unimplemented)
    #expect(server.probe.sightings.executed == 0)
    try await expectAnswer(dealer)
    await server.stop()
  }

  @Test("a method's name and metadata that are not UTF-8")
  func invalidUTF8() async throws {
    let server = try await TestServer.start()
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    // call_id 1, method of two bytes that are not UTF-8
    dealer.send([[8, 1, 0x1a, 2, 0xc0, 0x80], []])
    #expect(try await dealer.response().header.status == StatusCode.invalidArgument.rawValue)
    let valid = Header(callID: 2, method: method).encoded()
    // metadata entry: key "k", value 0xff
    dealer.send([valid + [0x2a, 6, 0x0a, 1, 0x6b, 0x12, 1, 0xff], []])
    #expect(try await dealer.response().header.status == StatusCode.invalidArgument.rawValue)
    try await expectAnswer(dealer)
    await server.stop()
  }

  @Test("a frame far beyond the limit costs its sender the connection, and nobody else")
  func hugeFrame() async throws {
    let server = try await TestServer.start()
    let (huge, other) = (
      RawSocket(ZMQ_DEALER, connectedTo: server.endpoint),
      RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    )
    huge.call(Header(callID: 1, method: method), [UInt8](repeating: 0, count: 3 << 20))
    try await expectAnswer(other)
    // libzmq has connected again; what was sent is gone.
    try await expectAnswer(huge)
    #expect(server.probe.sightings.executed == 2)
    await server.stop()
  }

  @Test("random frames never stop the server", arguments: [1, 2, 3] as [UInt64])
  func randomFrames(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let server = try await TestServer.start(hangs: false)
    let dealer = RawSocket(ZMQ_DEALER, connectedTo: server.endpoint)
    for round in 1...20 {
      for _ in 0..<100 { dealer.send(randomMessage(&random)) }
      let id = 1_000_000 + UInt64(round)
      dealer.call(Header(callID: id, method: method), [1])
      var answer: [UInt8]?
      while answer == nil {
        let response = try await dealer.response()
        if response.header.callID == id, response.header.hasMessage { answer = response.body }
      }
      #expect(answer == [1], "seed \(seed)")
    }
    await server.stop()
  }

  private func randomMessage(_ random: inout SplitMix64) -> [[UInt8]] {
    func bytes(_ countMax: Int, _ random: inout SplitMix64) -> [UInt8] {
      (0..<Int.random(in: 0...countMax, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    guard Bool.random(using: &random) else {
      return (0..<Int.random(in: 1...70, using: &random)).map { _ in bytes(40, &random) }
    }
    let names = InteropService.descriptor.methods.map(\.fullName)
    var header = Header(
      callID: UInt64.random(in: 0...20, using: &random),
      kind: .init(rawValue: Int32.random(in: 0...4, using: &random)),
      method: names.randomElement(using: &random) ?? "",
      timeoutMs: 1000,
      metadata: ["a": "b"],
      credit: UInt32.random(in: 0...3, using: &random)
    ).encoded()
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      header[Int.random(in: 0..<header.count, using: &random)] = .random(
        in: 0...255,
        using: &random
      )
    }
    // Small numbers, so that no answer is asked to be gigabytes.
    return [header, InteropService.numbers([UInt32.random(in: 0...20, using: &random)])]
  }

  private func expectAnswer(_ socket: RawSocket) async throws {
    socket.call(Header(callID: 77, method: method), [5])
    let response = try await socket.response()
    #expect(response.header.callID == 77)
    #expect(response.header.status == 0)
    #expect(response.body == [5])
  }
}
