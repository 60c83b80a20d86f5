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
    var share: TidingsV1.Share?

    init(_ record: TidingsV1.Record) {
      recordType = record.recordType
      changeTag = record.changeTag
      value = record.fields["value"]
      parent = record.parent?.recordID?.recordName
      share = record.share
    }
  }

  /// By zone with its owner, the records by name.
  var zones: [TidingsV1.ZoneID: [String: Seen]] = [:]
  /// The same records as their owners have them, without when and by whom they were written.
  private var looks: [TidingsV1.ZoneID: [String: TidingsV1.Record]] = [:]

  /// Views are equal when what is seen is.
  static func == (a: Self, b: Self) -> Bool { a.zones == b.zones }

  /// Zones in which something looks different in a later view; a save that changes nothing but the
  /// change tag does not count.
  func changedZones(_ later: SharedView) -> Set<TidingsV1.ZoneID> {
    Set(zones.keys).union(later.zones.keys).filter { looks[$0] != later.looks[$0] }
  }

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
        let seen = records.filter { names.contains($0.key) }.mapValues { record in
          var record = record
          record.share = record.share.map { Self.seen($0, by: user) }
          return record
        }
        self.zones[id] = seen.mapValues(Seen.init)
        looks[id] = seen.mapValues {
          TidingsV1.Record(
            recordType: $0.recordType,
            fields: $0.fields,
            parent: $0.parent,
            share: $0.share
          )
        }
      }
    }
  }

  private static func admits(_ share: TidingsV1.Share, _ user: String) -> Bool {
    share.participants.contains { participant in
      participant.userRecordName == user && participant.acceptanceStatus == .accepted
        && [.readOnly, .readWrite].contains(participant.permission)
    }
  }

  /// What a share says to a participant: who administers it sees all.
  private static func seen(_ share: TidingsV1.Share, by user: String) -> TidingsV1.Share {
    let administers = share.participants.contains {
      $0.userRecordName == user && $0.role == .administrator && $0.acceptanceStatus == .accepted
    }
    guard !administers else { return share }
    var seen = share
    seen.requesters = []
    seen.blockedUserRecordNames = []
    seen.participants.removeAll { $0.userRecordName.isEmpty }
    return seen
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
