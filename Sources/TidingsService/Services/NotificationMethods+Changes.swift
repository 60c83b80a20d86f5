internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsUserInfo
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Page = TidingsV1.FetchNotificationChangesResponse.FieldNumber
private typealias Field = TidingsV1.Notification.FieldNumber

extension NotificationMethods {
  /// Registers FetchNotificationChanges: the loop answers a caller who has seen nearly everything, as most have who were
  /// just pushed to, and reader threads answer the others.
  func registerChanges(on loop: LoopContext) {
    let method = TidingsV1.NotificationService.Methods.fetchNotificationChanges
    reads.registerCall(method, on: loop) { [reads, maintenance] call, loop in
      let (token, caller) = (call.token, try CallerIdentity.caller(of: call))
      let last = try reads.readOnLoop(call) { [body = call.body] in
        try NotificationPageAnswer(last: $0, caller, body)
      }
      if let last {
        loop.reply(token, body: last.body)
        return maintenance.noteFetch(last.reached, by: caller)
      }
      let body = call.keptBody
      let job = ReadJob(
        token: token,
        deadline: call.deadline,
        bytes: body.count,
        keyNumber: call.keyNumber
      ) { reader in
        try body.withUnsafeBytes { try NotificationPageAnswer(reader, caller, $0) }
      } deliver: { result, core, loop in
        switch result {
        case .success(let answer):
          loop.reply(token, body: answer.body)
          core.maintenance.noteFetch(answer.reached, by: caller)
        case .failure(let error): loop.fail(token, error)
        }
      }
      try reads.add(job, of: call.callerKey)
    }
  }
}

/// A page of notifications, encoded on a reader thread.
private struct NotificationPageAnswer: Sendable {
  let body: [UInt8]
  /// Up to which number the device had each channel with this page.
  let reached: [Int64: Int64]

  /// Any page.
  init(_ reader: StoreReader, _ caller: Caller, _ body: UnsafeRawBufferPointer) throws {
    let query = try Self.query(caller, body, in: reader.arena)
    try self.init(reader.engine.notifications(query), query, in: reader.arena)
  }

  /// The last page; `nil`: it is not, or not quick.
  init?(last reader: StoreReader, _ caller: Caller, _ body: UnsafeRawBufferPointer) throws {
    let query = try Self.query(caller, body, in: reader.arena)
    guard let page = try reader.engine.lastNotifications(query) else { return nil }
    try self.init(page, query, in: reader.arena)
  }

  private init(
    _ page: NotificationPage,
    _ query: NotificationRequest,
    in arena: borrowing Arena
  ) throws {
    reached = page.reached
    body = try Self.encode(page, query, in: arena)
  }

  private static func query(
    _ caller: Caller,
    _ body: UnsafeRawBufferPointer,
    in arena: borrowing Arena
  ) throws -> NotificationRequest {
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    let request = try TidingsV1.FetchNotificationChangesRequest(decoding: body.bytes, in: arena)
    var query = NotificationRequest(
      caller: caller,
      container: try containerName(request.container),
      environment: try request.environment.model,
      changeToken: request.changeToken,
      limit: Int(request.limit)
    )
    query.omitsReadMarks = request.omitsReadNotifications
    query.wantsBadge = request.wantsBadge
    query.wantsUserInfo = request.wantsUserInfo
    return query
  }

  private static func encode(
    _ page: NotificationPage,
    _ query: NotificationRequest,
    in arena: borrowing Arena
  ) throws -> [UInt8] {
    let bytes = page.items.reduce(0) { $0 + $1.body.count }
    var response = WireWriter(capacity: bytes + page.items.count * 64 + 256)
    for item in page.items {
      if query.wantsUserInfo {
        let notification = try TidingsV1.Notification(item, in: arena)
        let badge = item.badge.map { UInt32(clamping: $0) }
        let info = UserInfo(notification, for: query.caller.user, badge: badge)
        response.addNotification(item, userInfo: Array(info.text.utf8))
      } else {
        response.addNotification(item)
      }
    }
    for id in page.readMarks {
      let mark = TidingsV1.Notification(
        notificationID: id.description,
        type: .readNotification,
        databaseID: .init(
          container: query.container,
          environment: .init(query.environment)
        )
      )
      response.add(Page.notifications, mark.encoded(in: arena))
    }
    response.add(Page.changeToken, page.changeToken)
    if page.moreComing { response.add(Page.moreComing, varint: 1) }
    if page.isSplit { response.add(Page.isSplit, varint: 1) }
    if let badge = page.badge { response.add(Page.badgeValue, varint: UInt64(clamping: badge)) }
    return response.bytes
  }
}

extension WireWriter {
  /// Adds a stored notification as the first member, completed for its subscriber.
  ///
  /// Members that follow an encoded message belong to it: the stored part is not decoded.
  fileprivate mutating func addNotification(
    _ item: NotificationPage.Item,
    userInfo: [UInt8] = []
  ) {
    var own = WireWriter(capacity: 64 + userInfo.count)
    own.add(Field.notificationID, item.id.description.utf8)
    own.add(Field.subscriptionID, item.subscriptionID.utf8)
    if !userInfo.isEmpty { own.add(Field.userInfoJson, userInfo) }
    addHead(Page.notifications, bytes: item.body.count + own.bytes.count)
    append(item.body)
    append(own.bytes)
  }
}
