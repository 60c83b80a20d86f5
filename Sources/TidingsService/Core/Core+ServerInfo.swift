internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Registers ServerService.
  func registerServerInfo(on loop: LoopContext) {
    let started = Timestamp.now
    calls.register(TidingsRpcV1.ServerService.Methods.fetchServerInfo, .read, on: loop) {
      [self] call in
      // Through whom the call came.
      let node = leadership?.follower(on: call.connection)?.node
      let response = TidingsRpcV1.FetchServerInfoResponse(
        version: TidingsServer.version,
        rpcEndpoint: node?.rpcEndpoint ?? call.loop.endpoint,
        pushEndpoint: node?.pushEndpoint ?? call.loop.pushEndpoint ?? "",
        incarnation: engine.incarnation,
        started: .init(started),
        limits: limits(call.loop.configuration),
        counters: allCounters(call.loop.counters),
        developmentMode: callerMode == .development,
        state: NodeDrain.state(of: call.loop),
        endpoints: Self.endpoints(of: call.loop)
      )
      return response.encoded(in: call.arena)
    }
  }

  /// Where the server can be reached with which key.
  private static func endpoints(of loop: LoopContext) -> [TidingsRpcV1.ServerEndpoint] {
    guard case .curveServer(let pair, _) = loop.configuration.security else { return [] }
    var endpoints: [TidingsRpcV1.ServerEndpoint] = [
      .init(
        serverKey: pair.publicKey.description,
        rpcEndpoint: loop.endpoint,
        pushEndpoint: loop.pushEndpoint ?? ""
      )
    ]
    if let second = loop.configuration.second, let endpoint = loop.secondEndpoint {
      endpoints.append(
        .init(
          serverKey: second.pair.publicKey.description,
          rpcEndpoint: endpoint,
          pushEndpoint: loop.secondPushEndpoint ?? ""
        )
      )
    }
    return endpoints
  }

  private func limits(_ configuration: ServerConfiguration) -> TidingsRpcV1.Limits {
    let limits = engine.limits
    return TidingsRpcV1.Limits(
      frameBytesMax: UInt64(configuration.frameBytesMax),
      itemsPerCallMax: UInt32(limits.itemsPerCallMax),
      recordBytesMax: UInt64(limits.recordBytesMax),
      pageItemsMax: UInt32(limits.pageItemsMax),
      callsInFlightMax: UInt32(configuration.callsInFlightMax),
      subscriptionsPerUserMax: UInt32(limits.subscriptionsPerUserMax),
      predicateBytesMax: UInt32(PredicateLimits.textBytesMax),
      predicateNodesMax: UInt32(PredicateLimits.nodeCountMax),
      idempotencyRetentionHours: UInt32(limits.idempotencyRetentionHours),
      pushBytesMax: UInt32(limits.pushBytesMax),
      assetBytesMax: UInt64(limits.assetBytesMax),
      assetChunkBytesMax: UInt32(limits.assetChunkBytesMax),
      assetRetentionHours: UInt32(limits.assetRetentionHours),
      owningReferencesMax: UInt32(limits.owningReferencesMax),
      cascadedDeletionsMax: UInt32(limits.cascadedDeletionsMax),
      tombstoneRetentionDays: UInt32(limits.tombstoneRetentionDays),
      ancestorsMax: UInt64(limits.ancestorsMax),
      ancestorRetentionHours: UInt32(limits.ancestorRetentionHours),
      cursorRetentionMinutes: UInt32(limits.cursorRetentionMinutes),
      listMembersPerRecordMax: UInt32(limits.listMembersPerRecordMax),
      clientChangeTokenBytesMax: UInt32(limits.clientChangeTokenBytesMax),
      schemaBytesMax: UInt32(limits.schemaBytesMax),
      recordTypesMax: UInt32(limits.recordTypesMax),
      fieldsPerTypeMax: UInt32(limits.fieldsPerTypeMax),
      zonesPerDatabaseMax: UInt32(limits.zonesPerDatabaseMax),
      desiredKeysMax: UInt32(limits.desiredKeysMax),
      notificationFieldsBytesMax: UInt32(limits.notificationFieldsBytesMax),
      notificationRetentionDays: UInt32(limits.notificationRetentionDays),
      notificationsMax: UInt64(limits.notificationsMax),
      pushesPerSecondMax: UInt32(limits.pushesPerSecondMax),
      workGroupsPerUserMax: UInt32(limits.workGroupsPerUserMax),
      openLeasesMax: UInt32(limits.openLeasesMax)
    )
  }

  private func allCounters(_ loop: LoopCounters) -> TidingsRpcV1.Counters {
    TidingsRpcV1.Counters(
      calls: loop.calls,
      callsFailed: loop.callsFailed,
      commits: counters.commits,
      recordsSaved: counters.recordsSaved,
      recordsDeleted: counters.recordsDeleted,
      events: counters.events,
      pushes: loop.pushes,
      pushesCoalesced: publisher.counters.coalesced,
      pushesPruned: publisher.counters.pruned,
      checkpointsFailed: store.status.checkpointsFailed,
      pagesDamaged: store.status.damagedPages,
      logBytes: UInt64(store.status.logBytes),
      longTurns: loop.longTurns,
      longestTurnMicroseconds: loop.longestTurn.wholeMicroseconds,
      longestTurnProcessorMicroseconds: loop.longestTurnOnProcessor.wholeMicroseconds,
      freeBytes: UInt64(store.status.freeBytes)
    )
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: UInt64 { UInt64(self / .microseconds(1)) }
}
