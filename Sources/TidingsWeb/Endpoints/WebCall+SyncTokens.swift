internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebCall {
  /// The token of a request's zone, if one is wanted: fetched before the records, so that a change between the two is
  /// seen twice and not missed.
  func syncToken(_ zone: TidingsV1.ZoneID?) async -> String? {
    guard wantsSyncToken, let zone else { return nil }
    return await syncTokens([zone])[zone]
  }

  /// The tokens of custom zones as they are now; default zones have none.
  ///
  /// A zone whose token cannot be fetched is not in the result: what was asked for is answered all the same.
  func syncTokens(_ zones: [TidingsV1.ZoneID]) async -> [TidingsV1.ZoneID: String] {
    let custom = zones.filter { !$0.isDefault }
    var tokens: [TidingsV1.ZoneID: String] = [:]
    var start = 0
    while start < custom.count {
      let part = custom[start..<min(start + WebLimits.itemsMax, custom.count)]
      start += part.count
      let request = TidingsV1.FetchRecordZoneChangesRequest(
        databaseID: database.id,
        zones: part.map { .init(zoneID: $0, onlyChangeToken: true) }
      )
      guard let answer = try? await records.fetchRecordZoneChanges(request, options: options) else {
        continue
      }
      for (zone, changes) in zip(part, answer.zones) where changes.error == nil {
        tokens[zone] = Base64.encode(changes.changeToken)
      }
    }
    return tokens
  }
}
