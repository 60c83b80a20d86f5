internal import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC

extension LoopContext {
  /// Adds health and reflection; what is unary is answered on the loop thread.
  ///
  /// Call it after the other services are registered.
  ///
  /// - Parameter health: What `HealthService` reports. When the server stops, it is NOT_SERVING.
  public func registerBuiltIn(_ health: HealthState) {
    announce(TidingsRpcV1.HealthService.descriptor)
    announce(TidingsRpcV1.ReflectionService.descriptor)
    registerHealth(health, of: services)
    let reflection = ReflectionService(services)
    registerInline(TidingsRpcV1.ReflectionService.Methods.listServices) { call, loop in
      loop.answer(call) { (_: TidingsRpcV1.ListServicesRequest) in reflection.list }
    }
    registerInline(TidingsRpcV1.ReflectionService.Methods.fetchFileDescriptorSet) { call, loop in
      loop.answer(call) { (_: TidingsRpcV1.FetchFileDescriptorSetRequest) in
        reflection.fileDescriptorSet
      }
    }
  }

  /// Adds health alone.
  ///
  /// - Parameters:
  ///   - health: What `HealthService` reports. When the server stops, it is NOT_SERVING.
  ///   - services: The services that it knows, beside its own.
  public func registerHealth(_ health: HealthState, of services: [ServiceDescriptor]) {
    let service = HealthService(health)
    register(service)
    for service in self.services + services { health.know(service.name) }
    registerInline(TidingsRpcV1.HealthService.Methods.check) { call, loop in
      loop.answer(call) { (request: TidingsRpcV1.CheckRequest) throws(RPCError) in
        try service.check(request)
      }
    }
    whenStopping { health.end() }
  }

  /// Answers an inline call at once, with messages instead of bytes.
  private func answer<Request: Message, Response: Message>(
    _ call: borrowing InlineCall,
    _ handler: (Request) throws(RPCError) -> Response
  ) {
    do {
      let request = try Request(decoding: call.body.bytes, in: arena)
      reply(call.token, body: try handler(request).encoded(in: arena))
    } catch let error as RPCError {
      fail(call.token, error)
    } catch {
      fail(call.token, RPCError(.invalidArgument, "\(error)", cause: error))
    }
  }
}
