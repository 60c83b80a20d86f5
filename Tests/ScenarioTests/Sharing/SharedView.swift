internal import TidingsClient
internal import TidingsProto

/// What a user may see of what others own, by the contents of their zones alone: the model that devices
/// are held against.
struct SharedView: Equatable {
  /// A record, as far as the model knows it.
  struct Seen: Equatable {
    var recordType: String
    var changeTag: String
    var value: TidingsV1.FieldValue?
    var parent: String?

    init(_ record: TidingsV1.Record) {
      recordType = record.recordType
      changeTag = record.changeTag
      value = record.fields["value"]
      parent = record.parent?.recordID?.recordName
    }
  }

  /// By zone with its owner, the records by name.
  var zones: [TidingsV1.ZoneID: [String: Seen]] = [:]

  /// What a device has.
  init(_ zones: [TidingsV1.ZoneID: [String: TidingsV1.Record]]) {
    self.zones = zones.mapValues { $0.mapValues(Seen.init) }
  }

  /// What a user may see.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - owned: The zones of each owner, with all their records.
  init(of user: String, in owned: [String: [TidingsV1.ZoneID: [String: TidingsV1.Record]]]) {
    for (owner, zones) in owned where owner != user {
      for (zone, records) in zones {
        let shares = records.values.filter { $0.share.map { Self.admits($0, user) } ?? false }
        guard !shares.isEmpty else { continue }
        let id = TidingsV1.ZoneID(zoneName: zone.zoneName, ownerName: owner)
        var names: Set<String> = []
        for share in shares { names.formUnion(Self.names(of: share, in: records)) }
        self.zones[id] = records.filter { names.contains($0.key) }.mapValues(Seen.init)
      }
    }
  }

  private static func admits(_ share: TidingsV1.Share, _ user: String) -> Bool {
    share.participants.contains { participant in
      participant.userRecordName == user && participant.acceptanceStatus == .accepted
        && [.readOnly, .readWrite].contains(participant.permission)
    }
  }

  /// The records that a share holds, its own too.
  private static func names(
    of record: TidingsV1.Record,
    in records: [String: TidingsV1.Record]
  ) -> Set<String> {
    let root = record.share?.rootRecordName ?? ""
    guard !root.isEmpty else { return Set(records.keys) }
    var names: Set<String> = [root, record.recordID?.recordName ?? ""]
    var count = 0
    while count < names.count {
      count = names.count
      for (name, record) in records {
        if let parent = record.parent?.recordID?.recordName, names.contains(parent) {
          names.insert(name)
        }
      }
    }
    return names
  }
}
