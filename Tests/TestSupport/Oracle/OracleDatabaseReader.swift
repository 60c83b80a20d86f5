public import TidingsProto

/// A client that follows a database: knows which changes of zones it was reported, and judges each page.
public struct OracleDatabaseReader: Sendable {
  public let database: Oracle.Database

  /// All changes up to this moment were reported.
  private var base = 0
  /// What was reported beyond that: the moment of each zone's change.
  private var reported: [String: Int] = [:]
  /// While the first fetch is not at its end: the moment of its beginning.
  private var firstMoment: Int?
  private var isNew = true

  public init(_ database: Oracle.Database) { self.database = database }

  /// Takes a page in.
  ///
  /// - Returns: What is wrong with it; `nil`: nothing.
  public mutating func read(
    _ page: TidingsV1.FetchDatabaseChangesResponse,
    _ oracle: Oracle
  ) -> String? {
    let now = oracle.clocks[database] ?? 0
    if isNew { (isNew, firstMoment) = (false, now) }
    var changed = (oracle.zones[database] ?? [:]).mapValues(\.changed)
      .filter { $0.value > base && reported[$0.key] != $0.value }
    var deleted = (oracle.graves[database] ?? [:])
      .filter { $0.value.changed > base && reported[$0.key] != $0.value.changed }

    for id in page.changedZoneIDs {
      let name = oracle.zoneName(id)
      guard let moment = changed.removeValue(forKey: name) else {
        // A refused save may create it.
        if name == Oracle.defaultZone { continue }
        return "unexpected zone \(name); last reported at \(reported[name] ?? 0), all up to \(base)"
      }
      reported[name] = moment
    }
    for zone in page.deletedZones {
      let name = oracle.zoneName(zone.zoneID)
      guard let grave = deleted.removeValue(forKey: name) else {
        return "unexpected deletion of zone \(name)"
      }
      guard zone.reason == grave.reason else {
        return "zone \(name) is gone because \(zone.reason), expected \(grave.reason)"
      }
      if let firstMoment, grave.changed <= firstMoment {
        return "the first fetch reports the deletion of zone \(name), which it never reported"
      }
      reported[name] = grave.changed
    }
    guard !page.moreComing else { return nil }
    let owed = deleted.filter { firstMoment == nil || reported[$0.key] != nil }
    if !changed.isEmpty || !owed.isEmpty {
      return "misses the zones \(changed.keys.sorted()), the deletions \(owed.keys.sorted())"
    }
    (base, reported, firstMoment) = (now, [:], nil)
    return nil
  }
}
