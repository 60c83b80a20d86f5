internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Reads the changes of zones, one zone after another, and how that becomes calls.
struct ZoneFeed: Sendable {
  /// A zone, where to begin in it, and what to fetch.
  struct Zone: Sendable {
    var id: CKRecordZone.ID
    /// Empty: from the beginning.
    var token: [UInt8] = []
    /// Most records of a page; 0: as many as the server puts into one.
    var limit = 0
    /// Which fields; `nil`: all.
    var desiredKeys: [CKRecord.FieldKey]?
  }

  /// How far a zone was read.
  struct Position: Sendable {
    var token: CKServerChangeToken
    /// The newest mark of this device's own saves that were read.
    var mark: Data?
    var moreComing: Bool
  }

  /// Callbacks during the operation.
  enum Event: Sendable {
    case changed(CKRecord.ID, Result<CKRecord, CKError>)
    case deleted(CKRecord.ID, CKRecord.RecordType)
    /// More of the zone follows at once.
    case passed(CKRecordZone.ID, Position)
    case ended(CKRecordZone.ID, Result<Position, CKError>)
  }

  /// Most zones in a call.
  static let zonesPerCallMax = 100

  var zones: [Zone]
  /// Reads on until nothing more is coming; otherwise one page of each zone.
  var readsAll: Bool

  /// Reads; the end of every zone is reported exactly once.
  ///
  /// - Returns: Why not all was read.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: @Sendable (Event) -> Void
  ) async -> CKError? {
    var seen: Set<CKRecordZone.ID> = []
    var waiting = zones.filter { seen.insert($0.id).inserted }[...]
    var failed: [CKError.PartialError] = []
    func end(_ zone: Zone, _ error: CKError) {
      failed.append(.init(id: .zone(zone.id), error: error))
      tell(.ended(zone.id, .failure(error)))
    }
    while !waiting.isEmpty {
      do {
        try Task.checkCancellation()
        let asked = waiting.prefix(Self.zonesPerCallMax)
        for answer in try await call(Array(asked), in: database, patience) {
          guard var zone = waiting.popFirst() else { break }
          if let error = answer.error {
            end(zone, CKError(error))
            continue
          }
          let position = await Self.report(answer, in: database, tell)
          guard position.moreComing else {
            tell(.ended(zone.id, .success(position)))
            continue
          }
          if readsAll {
            zone.token = position.token.bytes
            waiting = [zone] + waiting
            tell(.passed(zone.id, position))
          } else {
            tell(.ended(zone.id, .success(position)))
          }
          // This zone took the room of those behind it: they are asked for again.
          break
        }
      } catch {
        let error = CKError(wrapping: error)
        for zone in waiting { end(zone, error) }
        return error
      }
    }
    return CKError.partial(failed)
  }

  private func call(
    _ zones: [Zone],
    in database: CKDatabase,
    _ patience: Patience
  ) async throws -> [TidingsV1.ZoneChanges] {
    let request = TidingsV1.FetchRecordZoneChangesRequest(
      databaseID: database.databaseID,
      zones: zones.map { zone in
        TidingsV1.ZoneChangesOptions(
          zoneID: zone.id.wire,
          changeToken: zone.token,
          desiredKeys: zone.desiredKeys.map { .init(keys: $0) },
          limit: UInt32(clamping: zone.limit)
        )
      }
    )
    let answers = try await database.call(patience) { (client, options) in
      try await client.pageLimits.zoneChanges(request, client, options)
    }.zones
    guard answers.count == zones.count else {
      throw CKError(.internalError, "the server's answer does not include all zones")
    }
    return answers
  }

  private static func report(
    _ answer: TidingsV1.ZoneChanges,
    in database: CKDatabase,
    _ tell: @Sendable (Event) -> Void
  ) async -> Position {
    for record in answer.changedRecords {
      let id = CKRecord.ID(record.recordID ?? .init())
      do {
        tell(.changed(id, .success(try await database.receive(record))))
      } catch {
        tell(.changed(id, .failure(CKError(wrapping: error))))
      }
    }
    for record in answer.deletedRecords {
      tell(.deleted(.init(record.recordID ?? .init()), record.recordType))
    }
    let mark = answer.clientChangeTokenData
    return Position(
      token: CKServerChangeToken(answer.changeToken),
      mark: mark.isEmpty ? nil : Data(mark),
      moreComing: answer.moreComing
    )
  }
}
