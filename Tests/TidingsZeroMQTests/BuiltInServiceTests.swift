import RPCTestSupport
import Testing
import TidingsInterop
import TidingsProto
import TidingsRPC
import TidingsZeroMQ

@Suite("built-in services") struct BuiltInServiceTests {
  private let forever = CallOptions(timeout: nil)

  @Test("health shows states and their changes, and ends with the server")
  func health() async throws {
    let state = HealthState()
    let server = try await TestServer.start(setup: { $0.registerBuiltIn(state) })
    let client = try await server.client()
    let health = TidingsRpcV1.HealthService.Client(client)
    #expect(try await health.check(.init()).status == .serving)
    #expect(try await health.check(.init(service: InteropService.name)).status == .serving)
    let unknown = await failure { _ = try await health.check(.init(service: "nobody")) }
    #expect(unknown?.code == .notFound)

    var watch = health.watch(.init(service: InteropService.name), options: forever)
      .makeAsyncIterator()
    #expect(try await watch.next()?.status == .serving)
    state.setServing(false, service: InteropService.name)
    #expect(try await watch.next()?.status == .notServing)
    #expect(try await health.check(.init()).status == .serving)
    state.setServing(true, service: InteropService.name)
    #expect(try await watch.next()?.status == .serving)

    var other = health.watch(.init(service: "nobody"), options: forever).makeAsyncIterator()
    #expect(try await other.next()?.status == .serviceUnknown)
    state.setServing(true, service: "nobody")
    #expect(try await other.next()?.status == .serving)

    async let stopped: Void = server.server.stop(grace: .seconds(600))
    #expect(try await watch.next()?.status == .notServing)
    let end = await failure { _ = try await watch.next() }
    #expect(end?.code == .unavailable)
    await stopped
    await client.close()
  }

  @Test("reflection lists services and their files")
  func reflection() async throws {
    let server = try await TestServer.start(setup: { $0.registerBuiltIn(HealthState()) })
    let client = try await server.client()
    let reflection = TidingsRpcV1.ReflectionService.Client(client)
    let services = try await reflection.listServices(.init()).services
    #expect(
      services.map(\.name) == [
        "tidings.rpc.v1.HealthService", "tidings.rpc.v1.ReflectionService", InteropService.name,
      ]
    )
    #expect(services[0].methods.map(\.name) == ["Check", "Watch"])
    #expect(services[0].methods.map(\.serverStreaming) == [false, true])
    #expect(services[0].methods.map(\.safe) == [true, true])
    let set = try await reflection.fetchFileDescriptorSet(.init()).fileDescriptorSet
    let text = String(decoding: set, as: UTF8.self)
    #expect(text.contains("tidings/rpc/v1/health.proto"))
    #expect(text.contains("tidings/rpc/v1/reflection.proto"))
    await client.close()
    await server.stop()
  }
}
