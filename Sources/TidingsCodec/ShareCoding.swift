package import TidingsModel
package import TidingsProtoC
package import TidingsProtobuf
package import TidingsRPC

extension RecordReader {
  /// What a record shares.
  package static func share(
    _ message: UnsafeMutablePointer<Tidings__V1__Share>,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Share {
    let source = message.pointee
    var share = Share(
      rootRecordName: try string(source.root_record_name, "\(path()).root_record_name"),
      publicPermission: try permission(
        source.public_permission,
        "\(path()).public_permission"
      )
    )
    share.url = try string(source.url, "\(path()).url")
    share.allowsAccessRequests = source.allows_access_requests != 0
    for case let requester? in UnsafeBufferPointer(
      start: source.requesters,
      count: source.n_requesters
    ) {
      share.requesters.append(try self.requester(requester.pointee, "\(path()).requesters"))
    }
    for user in UnsafeBufferPointer(
      start: source.blocked_user_record_names,
      count: source.n_blocked_user_record_names
    ) {
      share.blockedUsers.append(try string(user, "\(path()).blocked_user_record_names"))
    }
    for case let participant? in UnsafeBufferPointer(
      start: source.participants,
      count: source.n_participants
    ) {
      share.participants.append(
        try self.participant(participant.pointee, "\(path()).participants")
      )
    }
    return share
  }

  private static func requester(
    _ source: Tidings__V1__AccessRequester,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Share.Requester {
    Share.Requester(
      user: try string(source.user_record_name, "\(path()).user_record_name"),
      requested: try source.requested.map { time throws(RPCError) in
        try timestamp(time.pointee, "\(path()).requested")
      }
    )
  }

  private static func participant(
    _ source: Tidings__V1__Participant,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Share.Participant {
    var participant = Share.Participant(
      user: try string(source.user_record_name, "\(path()).user_record_name"),
      role: try known(Int32(bitPattern: source.role.rawValue), or: .privateUser, "\(path()).role"),
      permission: try permission(source.permission, "\(path()).permission"),
      status: try known(
        Int32(bitPattern: source.acceptance_status.rawValue),
        or: .pending,
        "\(path()).acceptance_status"
      )
    )
    participant.id = try string(source.participant_id, "\(path()).participant_id")
    participant.oneTimeURL = try string(source.one_time_url, "\(path()).one_time_url")
    participant.expires = try source.expires.map { time throws(RPCError) in
      try timestamp(time.pointee, "\(path()).expires")
    }
    return participant
  }

  private static func permission(
    _ value: Tidings__V1__ParticipantPermission,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Share.Permission {
    try known(Int32(bitPattern: value.rawValue), or: .none, path())
  }

  private static func known<Value: RawRepresentable<Int32>>(
    _ number: Int32,
    or unspecified: Value,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Value {
    guard let value = number == 0 ? unspecified : Value(rawValue: number) else {
      throw RPCError(
        .invalidArgument,
        "\(path()) \(number) is not known: use one of the contract's"
      )
    }
    return value
  }
}

extension RecordWriter {
  /// What a record shares.
  package static func share(
    _ share: Share,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__Share>
  {
    let message = arena.allocate(Tidings__V1__Share.self)
    tidings__v1__share__init(message)
    message.pointee.root_record_name = arena.packed(share.rootRecordName)
    message.pointee.public_permission = .init(rawValue: .init(share.publicPermission.rawValue))
    message.pointee.url = arena.packed(share.url)
    message.pointee.n_participants = share.participants.count
    message.pointee.participants = pointers(share.participants.count, in: arena) { index in
      participant(share.participants[index], in: arena)
    }
    message.pointee.allows_access_requests = share.allowsAccessRequests ? 1 : 0
    message.pointee.n_requesters = share.requesters.count
    message.pointee.requesters = pointers(share.requesters.count, in: arena) { index in
      requester(share.requesters[index], in: arena)
    }
    let blocked = share.blockedUsers
    message.pointee.n_blocked_user_record_names = blocked.count
    message.pointee.blocked_user_record_names = values(blocked.count, in: arena) {
      arena.packed(blocked[$0])
    }
    return message
  }

  private static func requester(
    _ requester: Share.Requester,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__AccessRequester>
  {
    let message = arena.allocate(Tidings__V1__AccessRequester.self)
    tidings__v1__access_requester__init(message)
    message.pointee.user_record_name = arena.packed(requester.user)
    message.pointee.requested = requester.requested.map { timestamp($0, in: arena) }
    return message
  }

  private static func participant(
    _ participant: Share.Participant,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__Participant>
  {
    let message = arena.allocate(Tidings__V1__Participant.self)
    tidings__v1__participant__init(message)
    message.pointee.user_record_name = arena.packed(participant.user)
    message.pointee.role = .init(rawValue: .init(participant.role.rawValue))
    message.pointee.permission = .init(rawValue: .init(participant.permission.rawValue))
    message.pointee.acceptance_status = .init(rawValue: .init(participant.status.rawValue))
    message.pointee.participant_id = arena.packed(participant.id)
    message.pointee.one_time_url = arena.packed(participant.oneTimeURL)
    message.pointee.expires = participant.expires.map { timestamp($0, in: arena) }
    return message
  }
}
