import CZeroMQ
import Testing
import TidingsInterop
import TidingsProto
import TidingsProtobuf
import TidingsRPC
import TidingsZeroMQ

/// The key that a connection gives to a call that it may repeat.
@Suite struct RepetitionKeyTests {
  /// A server that answers what the test says.
  private func receive(
    _ socket: RawSocket
  ) async throws -> (
    envelope: [[UInt8]], header: TidingsRpcV1.RequestHeader
  ) {
    let received = await socket.receive()
    let frames = try #require(received)
    let header = try TidingsRpcV1.RequestHeader(decoding: frames[frames.count - 2])
    return (Array(frames.dropLast(2)), header)
  }

  private func answer(
    _ socket: RawSocket,
    _ envelope: [[UInt8]],
    _ header: TidingsRpcV1.RequestHeader,
    _ status: StatusCode
  ) {
    let answer = TidingsRpcV1.ResponseHeader(
      callID: header.callID,
      status: status.rawValue,
      endOfStream: true
    )
    socket.send(envelope + [answer.encoded(), []])
  }

  private let patient = CallOptions(timeout: .seconds(600))

  @Test("all attempts of a call have its key, and other calls have others")
  func sameKey() async throws {
    let server = RawSocket(ZMQ_ROUTER)
    let client = try await ClientConnection(ConnectionConfiguration(endpoint: server.bind()))
    var keys: [String] = []
    for _ in 0..<2 {
      async let response = client.unary(InteropService.hangSafely, [], options: patient)
      let first = try await receive(server)
      answer(server, first.envelope, first.header, .unavailable)
      let second = try await receive(server)
      answer(server, second.envelope, second.header, .ok)
      #expect(try await response.isEmpty)
      #expect(second.header.callID == first.header.callID)
      #expect(second.header.idempotencyKey == first.header.idempotencyKey)
      keys.append(first.header.idempotencyKey)
    }
    #expect(keys[0] != keys[1] && keys.allSatisfy { !$0.isEmpty })
    await client.close()
  }

  @Test("the caller's key stays, and calls that are not repeated, or read, have none")
  func noKey() async throws {
    let server = RawSocket(ZMQ_ROUTER)
    let endpoint = server.bind()
    let client = try await ClientConnection(ConnectionConfiguration(endpoint: endpoint))
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.retry.attemptsMax = 1
    let once = try await ClientConnection(configuration)
    var named = patient
    named.idempotencyKey = "mine"
    let calls: [(ClientConnection, MethodDescriptor, CallOptions, String)] = [
      (client, InteropService.hangSafely, named, "mine"),
      (client, InteropService.sized, patient, ""),
      (client, InteropService.empty, patient, ""),
      (once, InteropService.hangSafely, patient, ""),
    ]
    for (connection, method, options, key) in calls {
      async let response = connection.unary(method, [], options: options)
      let request = try await receive(server)
      #expect(request.header.idempotencyKey == key, "\(method.name)")
      answer(server, request.envelope, request.header, .ok)
      #expect(try await response.isEmpty)
    }
    await client.close()
    await once.close()
  }
}
