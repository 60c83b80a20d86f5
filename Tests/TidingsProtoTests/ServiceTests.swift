import Synchronization
import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Answers two methods, and leaves the others to their default.
private struct Zones: TidingsV1.ZoneService.Server {
  func fetchRecordZones(
    _ request: TidingsV1.FetchRecordZonesRequest,
    call: ServerCall
  ) async throws -> TidingsV1.FetchRecordZonesResponse {
    TidingsV1.FetchRecordZonesResponse(
      results: request.zoneIDs.map { TidingsV1.ZoneResult(zoneID: $0) }
    )
  }
}

private struct Health: TidingsRpcV1.HealthService.Server {
  func watch(
    _ request: TidingsRpcV1.WatchRequest,
    call: ServerCall,
    responses: MessageWriter<TidingsRpcV1.WatchResponse>
  ) async throws {
    try await responses.write(.init(status: .serving))
    try await responses.write(.init(status: .notServing))
  }
}

/// Hands calls to a service without a wire.
private struct Direct: ClientTransport {
  let service: any RPCService

  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] {
    do {
      return try await service.handleUnary(ServerCall(method: method), request)
    } catch {
      throw error as? RPCError ?? RPCError(.unknown, "\(error)")
    }
  }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream {
    .failed(RPCError(.unimplemented, "streams need a wire"))
  }
}

/// Answers with bytes that are no message.
private struct Garbage: ClientTransport {
  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) async throws(RPCError) -> [UInt8] { [0xff] }

  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  ) -> ResponseStream { .failed(RPCError(.internal, "")) }
}

private final class Recorder: ResponseWriter {
  let written = Mutex<[[UInt8]]>([])
  func write(_ message: [UInt8]) async throws(RPCError) { written.withLock { $0.append(message) } }
}

@Suite("Generated services")
struct ServiceTests {
  @Test("a client's call reaches the server's method")
  func calls() async throws {
    let client = TidingsV1.ZoneService.Client(Direct(service: Zones()))
    let response = try await client.fetchRecordZones(.init(zoneIDs: [.init(zoneName: "a")]))
    #expect(response.results.map(\.zoneID?.zoneName) == ["a"])
  }

  @Test("a method that is not written is answered UNIMPLEMENTED")
  func answersUnimplemented() async throws {
    let client = TidingsV1.ZoneService.Client(Direct(service: Zones()))
    let error = await #expect(throws: RPCError.self) {
      _ = try await client.modifyRecordZones(.init())
    }
    #expect(error?.code == .unimplemented)
    #expect(error?.message.contains("tidings.v1.ZoneService/ModifyRecordZones") == true)
  }

  @Test("undecodable requests and responses have their own codes")
  func reportsUndecodableBytes() async throws {
    let method = TidingsV1.ZoneService.Methods.fetchRecordZones
    let request = await #expect(throws: RPCError.self) {
      _ = try await Zones().handleUnary(ServerCall(method: method), [0xff])
    }
    #expect(request?.code == .invalidArgument)
    let response = await #expect(throws: RPCError.self) {
      _ = try await TidingsV1.ZoneService.Client(Garbage()).fetchRecordZones(.init())
    }
    #expect(response?.code == .internal)
  }

  @Test("a streaming method writes encoded messages")
  func streams() async throws {
    let recorder = Recorder()
    let method = TidingsRpcV1.HealthService.Methods.watch
    try await Health().handleServerStreaming(ServerCall(method: method), [], recorder)
    let statuses = try recorder.written.withLock { $0 }
      .map { try TidingsRpcV1.WatchResponse(decoding: $0).status }
    #expect(statuses == [.serving, .notServing])
  }

  @Test("a client reads a streaming method's messages")
  func readsStream() async throws {
    let router = CallRouter([Health()])
    let client = TidingsRpcV1.HealthService.Client(InProcessTransport(router: router))
    var statuses: [TidingsRpcV1.ServingStatus] = []
    for try await response in client.watch(.init()) { statuses.append(response.status) }
    #expect(statuses == [.serving, .notServing])
  }

  @Test("the kinds of calls do not mix")
  func separatesKinds() async {
    let watch = TidingsRpcV1.HealthService.Methods.watch
    let unary = await #expect(throws: RPCError.self) {
      _ = try await Health().handleUnary(ServerCall(method: watch), [])
    }
    #expect(unary?.code == .unimplemented)
    let check = TidingsRpcV1.HealthService.Methods.check
    let streaming = await #expect(throws: RPCError.self) {
      try await Health().handleServerStreaming(ServerCall(method: check), [], Recorder())
    }
    #expect(streaming?.code == .unimplemented)
  }

  @Test("descriptors say what the .proto file does")
  func describes() {
    let service = Zones.descriptor
    #expect(service.name == "tidings.v1.ZoneService")
    #expect(service.methods.map(\.name) == ["ModifyRecordZones", "FetchRecordZones"])
    let fetch = TidingsV1.ZoneService.Methods.fetchRecordZones
    #expect(fetch.fullName == "tidings.v1.ZoneService/FetchRecordZones")
    #expect(fetch.idempotency == .noSideEffects)
    #expect(TidingsV1.ZoneService.Methods.modifyRecordZones.idempotency == .idempotent)
    #expect(TidingsV1.RecordService.Methods.modifyRecords.idempotency == .unknown)
    #expect(fetch.inputType == TidingsV1.FetchRecordZonesRequest.messageName)
    #expect(TidingsRpcV1.HealthService.Methods.watch.kind == .serverStreaming)
    #expect(fetch.kind == .unary)
  }
}
