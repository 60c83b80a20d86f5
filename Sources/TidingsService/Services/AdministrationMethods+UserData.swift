internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Page = TidingsV1.FetchUserDataResponse.FieldNumber
private typealias Item = TidingsV1.UserDataItem.FieldNumber

extension AdministrationMethods {
  /// Registers what shows and removes all that is stored for a user.
  func registerUserData(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    calls.register(Methods.fetchUserData, .read, on: loop) { [self] in try fetchUserData($0) }
    calls.register(Methods.fetchErasure, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, Methods.fetchErasure)
      return try fetchErasure(call)
    }
    rights.administer(
      Methods.eraseUser,
      calls,
      on: loop,
      repeating: { [self] in try repeatedErasure($0, $1) },
      handler: { [self] in try eraseUser($0) }
    )
  }

  // MARK: Data

  private func fetchUserData(_ call: borrowing StoreCall) throws -> [UInt8] {
    typealias Methods = TidingsV1.AdminService.Methods
    let request = try TidingsV1.FetchUserDataRequest(decoding: call.body.bytes, in: call.arena)
    let user = request.userName.isEmpty ? call.caller.user : request.userName
    guard !user.isEmpty else { throw ItemError.noUser }
    if user != call.caller.user {
      try rights.requireAdministrator(call, Methods.fetchUserData)
    }
    if let problem = Identifier.problem(inUserName: user) {
      throw ItemError(.invalidArguments, problem)
    }
    guard !engine.isBeingErased(user) else {
      throw ItemError(.zoneBusy, "the user \(Identifier.shown(user)) is being erased")
    }
    let page = try engine.userData(of: user, after: request.continuation)
    if request.continuation.isEmpty {
      rights.audit.add(
        rights.entry(
          Methods.fetchUserData,
          call.caller,
          keyNumber: call.keyNumber,
          isRefused: false,
          "all data of user \(user)"
        )
      )
    }
    var response = WireWriter()
    for item in page.items { response.add(Page.items, message(of: item, in: call.arena)) }
    response.add(Page.continuation, page.continuation)
    return response.bytes
  }

  /// The bytes of `UserDataItem`.
  private func message(of item: UserDataItem, in arena: borrowing Arena) -> [UInt8] {
    var message = WireWriter()
    if let database = item.database {
      message.add(Item.databaseID, TidingsV1.DatabaseID(database).encoded(in: arena))
    }
    switch item.content {
    case .account(let name, let account):
      let account = account.map { TidingsV1.Account($0) } ?? .init(name: name)
      message.add(Item.account, account.encoded(in: arena))
    case .usage(let usage): message.add(Item.usage, TidingsV1.Usage(usage).encoded(in: arena))
    case .device(let name, let lastWrite):
      let device = TidingsV1.Device(deviceID: name, lastWrite: .init(lastWrite))
      message.add(Item.device, device.encoded(in: arena))
    case .directoryEntry(let entry):
      message.add(Item.directoryEntry, TidingsV1.DirectoryEntry(entry).encoded(in: arena))
    case .zone(let zone, let database):
      message.add(Item.zone, TidingsV1.RecordZone(zone, in: database).encoded(in: arena))
    case .record(let body): message.add(Item.record, body)
    case .subscription(let body): message.add(Item.subscription, body)
    case .notification(let id, let subscriptionID, let body):
      var notification = WireWriter()
      notification.append(body)
      notification.add(TidingsV1.Notification.FieldNumber.notificationID, id.utf8)
      notification.add(TidingsV1.Notification.FieldNumber.subscriptionID, subscriptionID.utf8)
      message.add(Item.notification, notification.bytes)
    case .share(let share): message.add(Item.share, share.message(in: arena))
    case .asset(let asset):
      let asset = TidingsV1.Asset(checksum: asset.checksum, size: asset.size)
      message.add(Item.asset, asset.encoded(in: arena))
    case .webToken(let token):
      message.add(Item.webToken, TidingsV1.WebToken(token).encoded(in: arena))
    case .deliveryTarget(let target):
      message.add(Item.deliveryTarget, TidingsV1.DeliveryTarget(target).encoded(in: arena))
    }
    return message.bytes
  }

  // MARK: Erasure

  private func eraseUser(_ call: borrowing StoreCall) throws -> AdministrativeAnswer {
    let request = try TidingsV1.EraseUserRequest(decoding: call.body.bytes, in: call.arena)
    let publicRecords: UserErasure.PublicRecords
    switch request.publicRecords {
    case .unspecified, .delete: publicRecords = .delete
    case .keep: publicRecords = .keep
    default:
      throw ItemError(
        .invalidArguments,
        "public_records \(request.publicRecords.rawValue) is not known: use DELETE or KEEP"
      )
    }
    let erasure = try engine.eraseUser(
      request.userName,
      by: call.caller.user,
      publicRecords: publicRecords
    )
    var effects = CallEffects()
    effects.endedConnections = [
      .init(user: request.userName, exceptConnection: call.connection)
    ]
    let response = TidingsV1.EraseUserResponse(
      erasure: .init(erasure, of: request.userName)
    )
    // The user's name is not to outlast the user.
    let kept = TidingsV1.EraseUserResponse(erasure: .init(erasureID: erasure.id))
    return (
      CallAnswer(
        response.encoded(in: call.arena),
        kept: .reduced(kept.encoded(in: call.arena)),
        effects: effects
      ),
      "user \(request.userName), erasure \(erasure.id), public records: \(erasure.publicRecords)"
    )
  }

  /// The erasure that the first call began: another user may have the name since.
  private func repeatedErasure(_ call: borrowing StoreCall, _ answer: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.EraseUserRequest(decoding: call.body.bytes, in: call.arena)
    let kept: TidingsV1.EraseUserResponse = try call.decoded(answer)
    guard let id = kept.erasure?.erasureID, let erasure = try engine.erasure(id: id) else {
      return answer
    }
    return TidingsV1.EraseUserResponse(erasure: .init(erasure, of: request.userName))
      .encoded(in: call.arena)
  }

  private func fetchErasure(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchErasureRequest(decoding: call.body.bytes, in: call.arena)
    let found: UserErasure?
    var what = ""
    switch request.which {
    case .userName(let name)?:
      found = try engine.erasure(of: name)
      what = "of the user \(Identifier.shown(name))"
    case .erasureID(let id)?:
      found = try engine.erasure(id: id)
      what = "with the ID \(Identifier.shown(id))"
    case nil:
      throw ItemError(
        .invalidArguments,
        "the request names no erasure: set user_name or erasure_id"
      )
    }
    guard let found else {
      throw ItemError(.unknownItem, "there is no erasure \(what)")
    }
    return TidingsV1.FetchErasureResponse(erasure: .init(found, of: found.user))
      .encoded(in: call.arena)
  }
}

extension TidingsV1.UserErasure {
  fileprivate init(_ erasure: UserErasure, of user: String) {
    self.init(
      erasureID: erasure.id,
      userName: user,
      requestedBy: erasure.requestedBy,
      requested: .init(erasure.requested),
      finished: erasure.finished.map { .init($0) },
      publicRecords: erasure.publicRecords == .keep ? .keep : .delete,
      erased: erasure.counts.byKind.sorted { $0.key < $1.key }
        .map { .init(kind: $0.key, count: UInt64(clamping: $0.value)) }
    )
    guard let tombstones = erasure.tombstonesUntil, let notifications = erasure.notificationsUntil
    else { return }
    remainders = [
      .init(
        description:
          "names of deleted records in public databases, and the user's name as owner of "
          + "zones that were shared, for the feeds of others",
        until: .init(tombstones)
      ),
      .init(
        description:
          "notifications of others about what they could read: names of records and zones",
        until: .init(notifications)
      ),
      .init(description: "entries of the audit log, which name the user"),
      .init(description: "backups that were made before: for whoever keeps them to remove"),
    ]
  }
}
