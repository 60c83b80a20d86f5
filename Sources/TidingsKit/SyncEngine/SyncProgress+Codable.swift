internal import Foundation

extension SyncProgress: Codable {
  private enum Key: String, CodingKey {
    case version
    case user
    case databaseToken
    case zones
    case pendingZones
    case pendingRecords
    case hasUntrackedChanges
  }

  private struct Zone: Codable {
    var name: String
    var owner: String
    var token: Data?
    var isUnfetched: Bool?
    var isSaved: Bool?

    init(_ id: CKRecordZone.ID) { (name, owner) = (id.zoneName, id.ownerName) }

    var id: CKRecordZone.ID { .init(zoneName: name, ownerName: owner) }
  }

  private struct Record: Codable {
    var name: String
    /// Its place among `zones`.
    var zone: Int
    var isSaved: Bool
  }

  /// Grows when older versions cannot read what is written.
  private static let version = 1

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encodeIfPresent(user, forKey: .user)
    try container.encode(Data(databaseToken), forKey: .databaseToken)
    try container.encode(hasUntrackedChanges, forKey: .hasUntrackedChanges)
    var listed = unfetchedZones.map { id in
      var zone = Zone(id)
      zone.isUnfetched = true
      return zone
    }
    var locations = Dictionary(uniqueKeysWithValues: unfetchedZones.enumerated().map { ($1, $0) })
    func location(_ id: CKRecordZone.ID) -> Int {
      if let location = locations[id] { return location }
      locations[id] = listed.count
      listed.append(Zone(id))
      return listed.count - 1
    }
    for (id, token) in zoneTokens { listed[location(id)].token = Data(token) }
    let records = records.all.map { change in
      let isSaved = if case .saveRecord = change { true } else { false }
      let id = change.item
      return Record(name: id.recordName, zone: location(id.zoneID), isSaved: isSaved)
    }
    let pendingZones = zones.all.map { change in
      var zone = Zone(change.item)
      zone.isSaved = if case .saveZone = change { true } else { false }
      return zone
    }
    try container.encode(listed, forKey: .zones)
    try container.encode(records, forKey: .pendingRecords)
    try container.encode(pendingZones, forKey: .pendingZones)
  }

  init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: Key.self)
    func damaged(_ key: Key, _ reason: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
    }
    let version = try container.decode(Int.self, forKey: .version)
    guard version <= Self.version else {
      throw damaged(.version, "the state was kept by a newer version (\(version)) of TidingsKit")
    }
    user = try container.decodeIfPresent(String.self, forKey: .user)
    databaseToken = Array(try container.decode(Data.self, forKey: .databaseToken))
    hasUntrackedChanges = try container.decode(Bool.self, forKey: .hasUntrackedChanges)
    let listed = try container.decode([Zone].self, forKey: .zones)
    for zone in listed {
      if let token = zone.token { zoneTokens[zone.id] = Array(token) }
      if zone.isUnfetched == true { noteChange(in: zone.id) }
    }
    for record in try container.decode([Record].self, forKey: .pendingRecords) {
      guard listed.indices.contains(record.zone) else {
        throw damaged(
          .pendingRecords,
          "\(record.name) is in zone \(record.zone), which is not listed"
        )
      }
      let id = CKRecord.ID(recordName: record.name, zoneID: listed[record.zone].id)
      records.add(record.isSaved ? .saveRecord(id) : .deleteRecord(id))
    }
    for zone in try container.decode([Zone].self, forKey: .pendingZones) {
      zones.add(
        zone.isSaved == true ? .saveZone(CKRecordZone(zoneID: zone.id)) : .deleteZone(zone.id)
      )
    }
  }
}
