internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// What a call with an idempotency key gets that was answered before: what its caller may know now.
extension Core {
  /// The first answer, without what concerns zones that are no longer shared with the caller.
  func repeatedRecords(_ call: borrowing Call, _ answer: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.ModifyRecordsRequest(decoding: call.body.bytes, in: call.arena)
    let database = try request.databaseID.model(for: call.caller)
    guard database.scope == .shared else { return answer }
    var response: TidingsV1.ModifyRecordsResponse = try decoded(answer, call)
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

  /// The first answer, without notifications that the caller may not see any more.
  func repeatedLeases(_ call: borrowing Call, _ answer: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.LeaseNotificationsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let (container, environment) = (
      try containerName(request.container), try request.environment.model
    )
    let caller = call.caller
    var response: TidingsV1.LeaseNotificationsResponse = try decoded(answer, call)
    response.notifications = try response.notifications.filter { leased in
      guard let id = leased.notification?.notificationID else { return false }
      do {
        _ = try engine.trace(id, for: caller, container: container, environment: environment)
        return true
      } catch is ItemError {
        return false
      }
    }
    return response.encoded(in: call.arena)
  }

  private func decoded<Message: TidingsProtobuf.Message>(
    _ answer: [UInt8],
    _ call: borrowing Call
  ) throws -> Message {
    try answer.withUnsafeBytes { bytes in
      try storedMessage("answer") { try Message(decoding: bytes.bytes, in: call.arena) }
    }
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
