internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
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
      try requireAdministrator(call, Methods.listConnections)
      return try listConnections(call)
    }
    calls.register(Methods.listDevices, .read, on: loop) { [self] call in
      try requireAdministrator(call, Methods.listDevices)
      return try listDevices(call)
    }
    administer(Methods.endConnections, .read, on: loop) { [self] in try endConnections($0) }
    administer(Methods.setLogLevel, .read, on: loop) { [self] in try setLogLevel($0) }
    administer(Methods.drain, .read, on: loop) { [self] in try drain($0) }
    administer(Methods.setRetention, on: loop) { [self] in try setRetention($0) }
    administer(Methods.resetDevelopment, on: loop) { [self] in try resetDevelopment($0) }
    registerUserData(on: loop)
  }

  private static let pageMax = 1_000

  private static func pageLimit(_ limit: UInt32) -> Int {
    limit == 0 ? pageMax : min(Int(limit), pageMax)
  }

  // MARK: Connections

  private func listConnections(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ListConnectionsRequest(decoding: call.body.bytes, in: call.arena)
    let page = call.loop.openConnections(
      after: request.after,
      where: { [self] key, user in
        request.userName.isEmpty || self.user(user, key) == request.userName
      },
      limit: Self.pageLimit(request.limit)
    )
    let now = Timestamp.now
    let response = TidingsV1.ListConnectionsResponse(
      connections: page.connections.map { connection in
        let key = connection.keyNumber.flatMap { try? engine.holder(ofKey: $0) }
        let age = (call.loop.now - connection.since) / .milliseconds(1)
        return .init(
          number: connection.number,
          userName: user(connection.user, connection.keyNumber),
          publicKey: key?.keyText ?? "",
          deviceID: connection.device,
          since: .init(
            Timestamp(millisecondsSince1970: now.millisecondsSince1970 - Int64(max(0, age)))
          ),
          callsOpen: UInt32(clamping: connection.callsOpen),
          bytesHeld: UInt64(clamping: connection.bytesHeld),
          isSubscriber: connection.isSubscriber,
          topics: UInt32(clamping: connection.topics)
        )
      },
      moreComing: page.hasMore,
      unusedCount: UInt32(clamping: call.loop.unusedConnectionCount)
    )
    return response.encoded(in: call.arena)
  }

  private func endConnections(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.EndConnectionsRequest(decoding: call.body.bytes, in: call.arena)
    let about: String
    let isMeant: (UInt64, Int64?, String) -> Bool
    switch request.which {
    case .userName(let name)?:
      guard !name.isEmpty else { throw Self.nothingToEnd }
      about = "user \(name)"
      isMeant = { [self] _, key, user in self.user(user, key) == name }
    case .publicKey(let text)?:
      let wanted = try PublicKey(ofText: text)
      about = "key \(wanted)"
      isMeant = { [self] _, key, _ in
        key.flatMap { try? engine.holder(ofKey: $0) }?.publicKey == wanted
      }
    case .number(let number)?:
      about = "connection \(number)"
      isMeant = { own, _, _ in own == number }
    case nil: throw Self.nothingToEnd
    }
    let count = call.loop.endConnections(except: call.connection, where: isMeant)
    let response = TidingsV1.EndConnectionsResponse(count: UInt32(clamping: count))
    return (response.encoded(in: call.arena), "\(about), connections ended: \(count)")
  }

  private static let nothingToEnd = ItemError(
    .invalidArguments,
    "the request names nothing to end: set user_name, public_key or number"
  )

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
    let limit = Self.pageLimit(request.limit)
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
    let previous = logger.level
    if request.level != .unspecified {
      guard let level = request.level.level else {
        throw ItemError(
          .invalidArguments,
          "level \(request.level.rawValue) is not known: use DEBUG, INFO, WARNING or ERROR"
        )
      }
      logger.set(level)
    }
    let response = TidingsV1.SetLogLevelResponse(
      level: .init(logger.level),
      previous: .init(previous)
    )
    return (
      response.encoded(in: call.arena),
      request.level == .unspecified ? "" : "from \(previous.rawValue) to \(logger.level.rawValue)"
    )
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

  private func resetDevelopment(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.ResetDevelopmentRequest(decoding: call.body.bytes, in: call.arena)
    let container = try containerName(request.container)
    calls.keepsAnswer = !request.dryRun
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
    return (response.encoded(in: call.arena), request.dryRun ? "" : "container \(container)")
  }

  // MARK: Draining

  private func drain(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.DrainRequest(decoding: call.body.bytes, in: call.arena)
    let loop = call.loop
    var drain = NodeDrain(health: health, logger: logger, onDrained: { [self] in onDrained?() })
    drain.waits = { [self] lets in
      if lets { feeds.letsCallsWait = true } else { feeds.stop(on: loop) }
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

extension TidingsV1.LogLevel {
  fileprivate var level: Logger.Level? {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    default: nil
    }
  }

  fileprivate init(_ level: Logger.Level) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
  }
}
