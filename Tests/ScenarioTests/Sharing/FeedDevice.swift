internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A device that knows of a database only what the feeds reported it: the database feed which zones to look
/// at, their feeds what is in them.
final class FeedDevice {
  typealias Zone = TidingsV1.ZoneID

  private struct View {
    var token: [UInt8] = []
    var records: [String: TidingsV1.Record] = [:]
  }

  let client: Client
  private let database: TidingsV1.DatabaseID
  private var token: [UInt8] = []
  private var views: [Zone: View] = [:]
  /// How often a token was refused, and it started again.
  private(set) var restartCount = 0

  init(_ client: Client, _ scope: TidingsV1.DatabaseScope) {
    self.client = client
    database = .init(scope: scope)
  }

  /// What it has of each zone.
  var zones: [Zone: [String: TidingsV1.Record]] { views.mapValues(\.records) }

  /// Follows the feeds to their ends.
  ///
  /// - Parameters:
  ///   - limit: Most items of a page; 0: as the server likes.
  ///   - visit: Sees each record as it comes.
  /// - Throws: What the calls throw, and what no feed should answer.
  func follow(
    limit: UInt32 = 0,
    _ visit: (Zone, TidingsV1.Record) -> Void = { _, _ in }
  ) async throws {
    var dirty: [Zone] = []
    while true {
      let page = try await client.records.fetchDatabaseChanges(
        .init(databaseID: database, changeToken: token, limit: limit)
      )
      for zone in page.deletedZones.compactMap(\.zoneID) {
        views[zone] = nil
        dirty.removeAll { $0 == zone }
      }
      dirty += page.changedZoneIDs
      token = page.changeToken
      if !page.moreComing { break }
    }
    for zone in dirty { try await follow(zone, limit: limit, visit) }
  }

  private func follow(
    _ zone: Zone,
    limit: UInt32,
    _ visit: (Zone, TidingsV1.Record) -> Void
  ) async throws {
    var view = views[zone] ?? View()
    while true {
      let response = try await client.records.fetchRecordZoneChanges(
        .init(
          databaseID: database,
          zones: [.init(zoneID: zone, changeToken: view.token)],
          limit: limit
        )
      )
      guard let page = response.zones.first else {
        throw WaitingFailure(description: "no answer for a zone")
      }
      if let error = page.error {
        guard error.code == .changeTokenExpired, !view.token.isEmpty else {
          throw WaitingFailure(description: "\(zone): \(error)")
        }
        restartCount += 1
        view = View()
        continue
      }
      for record in page.changedRecords {
        visit(zone, record)
        view.records[record.recordID?.recordName ?? ""] = record
      }
      for record in page.deletedRecords {
        view.records[record.recordID?.recordName ?? ""] = nil
      }
      view.token = page.changeToken
      if !page.moreComing { break }
    }
    views[zone] = view
  }
}
