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

  /// What it would have of its zones if it read back, newest first, from the newest change to where it is.
  ///
  /// - Parameter limit: Most items of a page; 0: as the server likes.
  /// - Returns: The records of the zones in which its tokens are good.
  /// - Throws: What the calls throw, and what no feed should answer.
  func readBack(limit: UInt32) async throws -> [Zone: [String: TidingsV1.Record]] {
    var found: [Zone: [String: TidingsV1.Record]] = [:]
    for (zone, view) in views {
      var (token, records, names) = (view.token, view.records, Set<String>())
      var isRefused = false
      while true {
        let request = TidingsV1.FetchRecordZoneChangesRequest(
          databaseID: database,
          zones: [.init(zoneID: zone, changeToken: token, newestFirst: true)],
          limit: limit
        )
        let page = try await client.records.fetchRecordZoneChanges(request).zones.first
        if let error = page?.error {
          guard [.changeTokenExpired, .zoneNotFound].contains(error.code) else {
            throw WaitingFailure(description: "\(zone): \(error)")
          }
          isRefused = true
          break
        }
        for record in page?.changedRecords ?? [] {
          let name = record.recordID?.recordName ?? ""
          records[name] = record
          guard names.insert(name).inserted else {
            throw WaitingFailure(description: "\(zone): \(name) came twice")
          }
        }
        for record in page?.deletedRecords ?? [] {
          let name = record.recordID?.recordName ?? ""
          records[name] = nil
          guard names.insert(name).inserted else {
            throw WaitingFailure(description: "\(zone): \(name) came twice")
          }
        }
        guard let page, page.moreComing else { break }
        token = page.changeToken
      }
      if !isRefused { found[zone] = records }
    }
    return found
  }

  /// A device that knows the same zones, and nothing of what is in them.
  func withoutRecords() -> FeedDevice {
    let device = FeedDevice(client, database.scope)
    device.views = views.mapValues { _ in View() }
    return device
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
