internal import TidingsCodec
internal import TidingsEngine
internal import TidingsLogging
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

// What concerns this node and not the leader.
extension Follower {
  private typealias Methods = TidingsV1.AdminService.Methods

  /// Registers what this node does itself.
  func registerAdministration(on loop: LoopContext) {
    let node = node.name
    administer(Methods.drain, on: loop) { (request: TidingsV1.DrainRequest) in
      try NodeDrain.about(request)
    } apply: { [unowned self] request, _, loop in
      let drain = NodeDrain(
        health: health,
        logger: logger,
        onDrained: onDrained,
        waits: { [forwarding] in if !$0 { forwarding.endWaits(on: loop) } }
      )
      return try drain.apply(request, by: "an administrator", on: loop).0.encoded()
    }
    let level = NodeLogLevel(nodeName: node, logger: logger, callLog: callLog)
    administer(Methods.setLogLevel, on: loop) { (request: TidingsV1.SetLogLevelRequest) in
      try level.about(request)
    } apply: { request, _, loop in
      try level.apply(request, on: loop).encoded()
    }
    administer(Methods.fetchMetrics, on: loop) { (_: TidingsV1.FetchMetricsRequest) in
      ""
    } apply: { [unowned self] _, _, loop in
      TidingsV1.FetchMetricsResponse(
        metricFamilies(on: loop) + ServerObservation.programFamilies(isUp: true)
          + ProcessMetrics.families(countsDescriptors: false),
        slowCalls: callLog.slowCalls,
        node: node
      ).encoded()
    }
    administer(Methods.listConnections, on: loop) { (_: TidingsV1.ListConnectionsRequest) in
      ""
    } apply: { [unowned self] request, _, loop in
      connections.list(request, on: loop).encoded()
    }
    administer(Methods.endConnections, on: loop) { (request: TidingsV1.EndConnectionsRequest) in
      try NodeConnections.about(request)
    } apply: { [unowned self] request, connection, loop in
      try connections.end(request, except: connection, on: loop).encoded()
    }
    loop.registerInline(TidingsRpcV1.ServerService.Methods.fetchServerInfo) {
      [unowned self] call, loop in
      fetchServerInfo(call, on: loop)
    }
  }

  private var connections: NodeConnections {
    let holders = admittedKeys.holders
    return NodeConnections(nodeName: node.name) { holders[$0] }
  }

  /// Lets this node do something, if the leader says that the caller may.
  ///
  /// - Parameters:
  ///   - method: A method of AdminService.
  ///   - loop: The loop.
  ///   - about: What the audit log says about a request; empty: it changes nothing.
  ///   - apply: Does it, for a call on a connection, and returns the encoded response.
  private func administer<Request: Message>(
    _ method: MethodDescriptor,
    on loop: LoopContext,
    about: @escaping (Request) throws -> String,
    apply: @escaping (Request, _ connection: UInt64, LoopContext) throws -> [UInt8]
  ) {
    loop.registerInline(method) { [unowned self] call, loop in
      let token = call.token
      do {
        let request = try Request(decoding: call.body.bytes, in: loop.arena)
        let asked = TidingsClusterV1.AuthorizeRequest(
          method: method.name,
          about: try about(request)
        )
        forwarding.call(
          TidingsClusterV1.ClusterService.Methods.authorize,
          asked.encoded(in: loop.arena),
          for: token,
          on: loop
        ) { [unowned loop] result in
          do {
            _ = try result.get()
            loop.reply(token, body: try apply(request, token.connection, loop))
          } catch {
            loop.fail(token, RPCError(callFailure: error))
          }
        }
      } catch {
        loop.fail(token, RPCError(callFailure: error))
      }
    }
  }

  /// Says what this node is, with what holds for all of them.
  private func fetchServerInfo(_ call: borrowing InlineCall, on loop: LoopContext) {
    let token = call.token
    forwarding.call(
      TidingsRpcV1.ServerService.Methods.fetchServerInfo,
      TidingsRpcV1.FetchServerInfoRequest().encoded(in: loop.arena),
      for: token,
      on: loop
    ) { [unowned self, unowned loop] result in
      do {
        var info = try TidingsRpcV1.FetchServerInfoResponse(decoding: result.get())
        if let largest = info.limits?.frameBytesMax {
          info.limits?.frameBytesMax = min(largest, UInt64(loop.configuration.frameBytesMax))
        }
        info.version = node.version
        (info.rpcEndpoint, info.pushEndpoint) = (node.rpcEndpoint, node.pushEndpoint)
        info.started = .init(started)
        info.counters = loop.counters.message
        info.state = NodeDrain.state(of: loop)
        info.endpoints = loop.serverEndpoints
        info.nodeName = node.name
        loop.reply(token, body: info.encoded())
      } catch {
        loop.fail(token, RPCError(callFailure: error))
      }
    }
  }
}
