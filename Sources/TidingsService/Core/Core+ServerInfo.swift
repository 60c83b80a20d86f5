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
  ///
  /// - Parameters:
  ///   - started: When the process started.
  ///   - loop: The loop.
  func registerServerInfo(startedAt started: Timestamp, on loop: LoopContext) {
    calls.register(TidingsRpcV1.ServerService.Methods.fetchServerInfo, .read, on: loop) {
      [self] call in
      let response = TidingsRpcV1.FetchServerInfoResponse(
        version: TidingsServer.version,
        rpcEndpoint: call.loop.endpoint,
        pushEndpoint: call.loop.pushEndpoint ?? "",
        incarnation: engine.incarnation,
        started: .init(started),
        limits: limits(call.loop.configuration),
        counters: allCounters(call.loop.counters),
        developmentMode: callerMode == .development,
        state: NodeDrain.state(of: call.loop),
        endpoints: call.loop.serverEndpoints,
        nodeName: leadership?.node.name ?? ""
      )
      return response.encoded(in: call.arena)
    }
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
    var all = loop.message
    all.commits = counters.commits
    all.recordsSaved = counters.recordsSaved
    all.recordsDeleted = counters.recordsDeleted
    all.events = counters.events
    all.pushesCoalesced = publisher.counters.coalesced
    all.pushesPruned = publisher.counters.pruned
    all.checkpointsFailed = store.status.checkpointsFailed
    all.pagesDamaged = store.status.damagedPages
    all.logBytes = UInt64(store.status.logBytes)
    all.freeBytes = UInt64(store.status.freeBytes)
    return all
  }
}

extension LoopContext {
  /// Where the server can be reached with which key.
  var serverEndpoints: [TidingsRpcV1.ServerEndpoint] {
    guard case .curveServer(let pair, _) = configuration.security else { return [] }
    var endpoints: [TidingsRpcV1.ServerEndpoint] = [
      .init(
        serverKey: pair.publicKey.description,
        rpcEndpoint: endpoint,
        pushEndpoint: pushEndpoint ?? ""
      )
    ]
    if let second = configuration.second, let endpoint = secondEndpoint {
      endpoints.append(
        .init(
          serverKey: second.pair.publicKey.description,
          rpcEndpoint: endpoint,
          pushEndpoint: secondPushEndpoint ?? ""
        )
      )
    }
    return endpoints
  }
}

extension LoopCounters {
  /// What a loop counts, without what a store does.
  var message: TidingsRpcV1.Counters {
    .init(
      calls: calls,
      callsFailed: callsFailed,
      pushes: pushes,
      longTurns: longTurns,
      longestTurnMicroseconds: longestTurn.wholeMicroseconds,
      longestTurnProcessorMicroseconds: longestTurnOnProcessor.wholeMicroseconds
    )
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: UInt64 { UInt64(self / .microseconds(1)) }
}
