package import TidingsModel
internal import TidingsProto
package import TidingsProtoC
internal import TidingsProtobuf
package import TidingsRPC
internal import TidingsWire

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

extension WireCursor {
  /// Adds what a record shares.
  mutating func addMembers(of share: Share) {
    typealias Field = TidingsV1.Share.FieldNumber
    add(Field.rootRecordName, ifNotEmpty: share.rootRecordName)
    add(Field.publicPermission, varint: UInt64(share.publicPermission.rawValue))
    for participant in share.participants {
      addMessage(Field.participants) { $0.addMembers(of: participant) }
    }
    add(Field.url, ifNotEmpty: share.url)
    if share.allowsAccessRequests { add(Field.allowsAccessRequests, varint: 1) }
    for requester in share.requesters {
      addMessage(Field.requesters) { message in
        typealias Field = TidingsV1.AccessRequester.FieldNumber
        message.add(Field.userRecordName, ifNotEmpty: requester.user)
        if let time = requester.requested { message.add(Field.requested, time) }
      }
    }
    for user in share.blockedUsers { add(Field.blockedUserRecordNames, user) }
  }

  private mutating func addMembers(of participant: Share.Participant) {
    typealias Field = TidingsV1.Participant.FieldNumber
    add(Field.userRecordName, ifNotEmpty: participant.user)
    add(Field.role, varint: UInt64(participant.role.rawValue))
    add(Field.permission, varint: UInt64(participant.permission.rawValue))
    add(Field.acceptanceStatus, varint: UInt64(participant.status.rawValue))
    add(Field.participantID, ifNotEmpty: participant.id)
    add(Field.oneTimeURL, ifNotEmpty: participant.oneTimeURL)
    if let expires = participant.expires { add(Field.expires, expires) }
  }
}
