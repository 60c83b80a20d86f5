public import TidingsProto
public import TidingsRPC

/// Reports whether a service can be called, like gRPC's health service.
public struct HealthService: TidingsRpcV1.HealthService.Server {
  private let state: HealthState

  /// The status of a state.
  public init(_ state: HealthState) { self.state = state }

  /// Returns the state of one service.
  public func check(
    _ request: TidingsRpcV1.CheckRequest,
    call: ServerCall
  ) async throws -> TidingsRpcV1.CheckResponse {
    try check(request)
  }

  /// Sends the state at once and again whenever it changes, until the server stops.
  public func watch(
    _ request: TidingsRpcV1.WatchRequest,
    call: ServerCall,
    responses: MessageWriter<TidingsRpcV1.WatchResponse>
  ) async throws {
    var last: TidingsRpcV1.ServingStatus?
    while true {
      let now = state.snapshot(of: request.service)
      if now.status != last {
        try await responses.write(.init(status: now.status))
        last = now.status
      }
      if now.isFinal { throw RPCError(.unavailable, "the server is stopping") }
      await state.change(after: now.version)
      try Task.checkCancellation()
    }
  }

  func check(_ request: TidingsRpcV1.CheckRequest) throws(RPCError) -> TidingsRpcV1.CheckResponse {
    let status = state.snapshot(of: request.service).status
    if status == .serviceUnknown {
      throw RPCError(.notFound, "the server does not have the service \(request.service)")
    }
    return .init(status: status)
  }
}
