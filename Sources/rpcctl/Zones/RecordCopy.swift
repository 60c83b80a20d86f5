internal import TidingsProto

/// A record for another zone.
struct RecordCopy {
  /// Without change tag, times and users, which belong to the original.
  private(set) var record: TidingsV1.Record

  /// Copies a record to a zone; references within the original's zone refer to the new zone.
  ///
  /// - Parameters:
  ///   - original: The record. Users who were invited to a share are invited to the copy.
  ///   - zone: The zone.
  ///   - owner: The owner of the zone.
  init(of original: TidingsV1.Record, in zone: TidingsV1.ZoneID, of owner: String = "") {
    let name = original.recordID?.recordName ?? ""
    let source = original.recordID?.zoneID ?? .init()
    record = TidingsV1.Record(
      recordID: .init(recordName: name, zoneID: zone),
      recordType: original.recordType,
      fields: original.fields.mapValues { Self.moved($0, from: source, to: zone) }
    )
    record.share = original.share.map { share in
      .init(
        rootRecordName: share.rootRecordName,
        publicPermission: share.publicPermission,
        participants: share.invited.filter { $0.userRecordName != owner },
        allowsAccessRequests: share.allowsAccessRequests
      )
    }
    record.parent = original.parent.map { Self.moved($0, from: source, to: zone) }
  }

  /// Returns only what differs from the stored record; `nil`: nothing does.
  func change(of stored: TidingsV1.Record?) -> TidingsV1.Record? {
    let difference = RecordDifference(record, stored: stored, isExact: true)
    let hasSameParent = record.parent?.recordID?.recordName == stored?.parent?.recordID?.recordName
    let hasSameShare = record.share?.terms == stored?.share?.terms
    guard !difference.isEmpty || !hasSameParent || !hasSameShare else { return nil }
    var change = record
    if let share = record.share, let stored {
      // Shares are compared by their change tags; participants who joined with the copy's URL stay.
      change.changeTag = stored.changeTag
      let joined =
        stored.share?.participants.filter {
          $0.role == .publicUser || !$0.participantID.isEmpty
        } ?? []
      change.share?.participants =
        share.participants
        + joined.filter { participant in
          !share.participants.contains { $0.userRecordName == participant.userRecordName }
        }
      // Requests for access concern the copy's URL; blocked users stay blocked, unless invited now.
      change.share?.requesters = stored.share?.requesters ?? []
      change.share?.blockedUserRecordNames =
        (stored.share?.blockedUserRecordNames ?? []).filter { user in
          !share.participants.contains { $0.userRecordName == user }
        }
    }
    change.fields = [:]
    // A field to remove is sent without a value.
    for field in difference.fields { change.fields[field.name] = field.new ?? .init() }
    if change.parent == nil, !hasSameParent { change.parent = .init() }
    return change
  }

  /// The assets that the record references.
  var assets: [TidingsV1.Asset] {
    record.fields.values.flatMap { value -> [TidingsV1.Asset] in
      switch value.value {
      case .assetValue(let asset)?: [asset]
      case .assetListValue(let list)?: list.values
      default: []
      }
    }
  }

  private static func moved(
    _ value: TidingsV1.FieldValue,
    from source: TidingsV1.ZoneID,
    to zone: TidingsV1.ZoneID
  ) -> TidingsV1.FieldValue {
    switch value.value {
    case .referenceValue(let reference)?:
      .init(value: .referenceValue(moved(reference, from: source, to: zone)))
    case .referenceListValue(let list)?:
      .init(
        value: .referenceListValue(
          .init(values: list.values.map { moved($0, from: source, to: zone) })
        )
      )
    default: value
    }
  }

  private static func moved(
    _ reference: TidingsV1.Reference,
    from source: TidingsV1.ZoneID,
    to zone: TidingsV1.ZoneID
  ) -> TidingsV1.Reference {
    guard (reference.recordID?.zoneID ?? .init()).name == source.name else { return reference }
    var moved = reference
    moved.recordID?.zoneID = zone
    return moved
  }
}

extension TidingsV1.Share {
  /// The users who were invited by name, with their permissions; a one-time URL belongs to one share.
  fileprivate var invited: [TidingsV1.Participant] {
    participants.filter { ![.owner, .publicUser].contains($0.role) && $0.participantID.isEmpty }
      .map {
        .init(userRecordName: $0.userRecordName, role: $0.role, permission: $0.permission)
      }
  }

  /// The settings of the share's owner.
  fileprivate var terms: Self {
    .init(
      rootRecordName: rootRecordName,
      publicPermission: publicPermission == .unspecified
        ? TidingsV1.ParticipantPermission.none : publicPermission,
      participants: invited.sorted { $0.userRecordName < $1.userRecordName },
      allowsAccessRequests: allowsAccessRequests
    )
  }
}
