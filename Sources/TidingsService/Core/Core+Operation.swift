internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Registers what operators do while the server runs.
  ///
  /// What needs no store is done also when the store takes no writes.
  func registerOperation(on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    calls.register(Methods.listConnections, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, Methods.listConnections)
      return try listConnections(call)
    }
    calls.register(Methods.listDevices, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, Methods.listDevices)
      return try listDevices(call)
    }
    rights.administer(Methods.endConnections, calls, .read, on: loop) { [self] in
      try endConnections($0)
    }
    rights.administer(Methods.setLogLevel, calls, .read, on: loop) { [self] in
      try setLogLevel($0)
    }
    rights.administer(Methods.drain, calls, .read, on: loop) { [self] in try drain($0) }
    rights.administer(Methods.setRetention, calls, on: loop) { [self] in
      try setRetention($0)
    }
    rights.administer(Methods.resetDevelopment, calls, on: loop) { [self] in
      try resetDevelopment($0)
    }
  }

  // MARK: Connections

  /// The name of this node; empty: the server is alone.
  private var nodeName: String { leadership?.node.name ?? "" }

  private var connections: NodeConnections {
    NodeConnections(nodeName: nodeName) { [self] key in
      guard let holder = try? engine.holder(ofKey: key), let publicKey = holder.publicKey else {
        return nil
      }
      return (holder.user, publicKey)
    }
  }

  private func listConnections(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ListConnectionsRequest(decoding: call.body.bytes, in: call.arena)
    return connections.list(request, on: call.loop).encoded(in: call.arena)
  }

  private func endConnections(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.EndConnectionsRequest(decoding: call.body.bytes, in: call.arena)
    let about = try NodeConnections.about(request)
    let response = try connections.end(request, except: call.connection, on: call.loop)
    return (response.encoded(in: call.arena), "\(about), connections ended: \(response.count)")
  }

  /// Whose a connection is.
  func user(_ named: String, _ key: Int64?) -> String {
    guard named.isEmpty, let key else { return named }
    return (try? engine.holder(ofKey: key))?.user ?? ""
  }

  // MARK: Devices

  private func listDevices(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ListDevicesRequest(decoding: call.body.bytes, in: call.arena)
    guard !request.userName.isEmpty else {
      throw ItemError(.invalidArguments, "user_name is missing: whose devices?")
    }
    if callerMode == .authenticated { _ = try engine.account(request.userName) }
    let limit = NodeConnections.pageLimit(request.limit)
    let found = try engine.deviceNames(
      of: request.userName,
      after: request.after,
      limit: limit + 1
    )
    let response = TidingsV1.ListDevicesResponse(
      devices: found.prefix(limit).map {
        .init(
          deviceID: $0.name,
          lastWrite: .init($0.lastWrite)
        )
      },
      moreComing: found.count > limit
    )
    return response.encoded(in: call.arena)
  }

  // MARK: Log, retention

  private func setLogLevel(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.SetLogLevelRequest(decoding: call.body.bytes, in: call.arena)
    let level = NodeLogLevel(nodeName: nodeName, logger: logger, callLog: callLog)
    let about = try level.about(request)
    return (try level.apply(request, on: call.loop).encoded(in: call.arena), about)
  }

  private func setRetention(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.SetRetentionRequest(decoding: call.body.bytes, in: call.arena)
    var change = RetentionChange()
    change.resets = request.resets
    change.numbers["tombstone-retention-days"] = request.tombstoneRetentionDays.map { Int64($0) }
    change.numbers["notification-retention-days"] =
      request.notificationRetentionDays.map { Int64($0) }
    change.numbers["notifications-max"] = request.notificationsMax.map { Int64(clamping: $0) }
    let setNames = try engine.changeRetention(change)
    let limits = engine.limits
    let response = TidingsV1.SetRetentionResponse(
      tombstoneRetentionDays: UInt32(clamping: limits.tombstoneRetentionDays),
      notificationRetentionDays: UInt32(clamping: limits.notificationRetentionDays),
      notificationsMax: UInt64(clamping: limits.notificationsMax),
      setNames: setNames
    )
    let changes =
      (change.resets ? ["reset"] : [])
      + change.numbers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return (response.encoded(in: call.arena), changes.joined(separator: ", "))
  }

  // MARK: Schema

  private func resetDevelopment(
    _ call: borrowing Call
  ) throws -> AdministrativeAnswer {
    let request = try TidingsV1.ResetDevelopmentRequest(decoding: call.body.bytes, in: call.arena)
    let container = try containerName(request.container)
    let reset = try engine.resetDevelopment(
      of: container,
      by: call.caller.user,
      isDryRun: request.dryRun
    )
    let response = TidingsV1.ResetDevelopmentResponse(
      changes: reset.changes.map { .init($0) },
      databaseCount: UInt32(clamping: reset.databaseCount),
      isRunning: reset.isRunning
    )
    return (
      CallAnswer(
        response.encoded(in: call.arena),
        kept: request.dryRun ? .nothing : .whole
      ),
      request.dryRun ? "" : "container \(container)"
    )
  }

  // MARK: Draining

  private func drain(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.DrainRequest(decoding: call.body.bytes, in: call.arena)
    let loop = call.loop
    var drain = NodeDrain(health: health, logger: logger, onDrained: { [self] in onDrained?() })
    drain.waits = { [self] lets in
      if lets {
        feeds.letsCallsWait = true
        senders.letsCallsWait = true
      } else {
        feeds.stop(on: loop)
        senders.stop(on: loop)
      }
      leadership?.leave(!lets && hasFollowers(at: loop.now))
    }
    if hasFollowers(at: loop.now) {
      drain.onDrainedWithoutStop = { [self, unowned loop] in
        onRoleEnd?(.drained)
        loop.endAtOnce()
      }
    }
    let (response, about) = try drain.apply(request, by: call.caller.user, on: loop)
    return (response.encoded(in: call.arena), about)
  }
}
