internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// What a call with an idempotency key gets that was answered before: what its caller may know now.
extension RecordMethods {
  /// The first answer, without what concerns zones that are no longer shared with the caller.
  func repeatedRecords(_ call: borrowing StoreCall, _ answer: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.ModifyRecordsRequest(decoding: call.body.bytes, in: call.arena)
    let database = try request.databaseID.model(for: call.caller)
    guard database.scope == .shared else { return answer }
    var response: TidingsV1.ModifyRecordsResponse = try call.decoded(answer)
    var refusals: [ZoneID: ItemError] = [:]
    for zoneID in Set(response.results.compactMap { $0.recordID?.zoneID }) {
      do {
        _ = try engine.zone(
          try Optional(zoneID).named(in: database, for: call.caller),
          in: database
        )
      } catch let error as ItemError {
        refusals[ZoneID(zoneName: zoneID.zoneName, ownerName: zoneID.ownerName)] = error
      }
    }
    let showsShares = response.results.contains { $0.showsShare }
    guard !refusals.isEmpty || showsShares else { return answer }
    // Who administered a share then may not do so now.
    if showsShares {
      for index in response.results.indices { response.results[index].hideSecrets() }
    }
    func refusal(_ id: TidingsV1.RecordID?) -> ItemError? {
      guard let zone = id?.zoneID else { return nil }
      return refusals[ZoneID(zoneName: zone.zoneName, ownerName: zone.ownerName)]
    }
    for index in response.results.indices {
      guard let error = refusal(response.results[index].recordID) else { continue }
      response.results[index].outcome = .error(.init(error))
    }
    response.cascadedDeletions.removeAll { refusal($0.recordID) != nil }
    return response.encoded(in: call.arena)
  }
}

extension TidingsV1.RecordResult {
  fileprivate var showsShare: Bool {
    if case .record(let record)? = outcome, record.share != nil { return true }
    return serverRecord?.share != nil || ancestorRecord?.share != nil
  }

  /// Leaves of shares what all participants may see.
  fileprivate mutating func hideSecrets() {
    if case .record(var record)? = outcome {
      record.share?.hideSecrets()
      outcome = .record(record)
    }
    serverRecord?.share?.hideSecrets()
    ancestorRecord?.share?.hideSecrets()
  }
}

extension TidingsV1.Share {
  fileprivate mutating func hideSecrets() {
    requesters = []
    blockedUserRecordNames = []
    participants.removeAll { $0.userRecordName.isEmpty }
  }
}
