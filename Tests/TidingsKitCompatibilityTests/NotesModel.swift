import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// An application of today: async, results per item, shares.
actor NotesModel {
  enum Failure: Error {
    case conflict(CKRecord)
    case gone
    case other(CKError)
  }

  private let container: CKContainer
  private var database: CKDatabase { container.privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")
  private(set) var databaseToken: CKServerChangeToken?

  init(container: CKContainer) { self.container = container }

  func start() async throws -> CKAccountStatus {
    let status = try await container.accountStatus()
    guard status == .available else { return status }
    _ = try await database.modifyRecordZones(saving: [zone], deleting: [])
    let subscription = CKDatabaseSubscription(subscriptionID: "all-changes")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    let (saveResults, _) = try await database.modifySubscriptions(
      saving: [subscription],
      deleting: []
    )
    for (id, result) in saveResults {
      if case .failure(let error) = result { print(id, error) }
    }
    return status
  }

  func save(_ text: String, named name: String, tags: [String] = []) async throws -> CKRecord {
    let id = CKRecord.ID(recordName: name, zoneID: zone.zoneID)
    let record: CKRecord
    do {
      record = try await database.record(for: id)
    } catch let error as CKError where error.code == .unknownItem {
      record = CKRecord(recordType: "Note", recordID: id)
    }
    record["text"] = text
    record["tags"] = tags.isEmpty ? nil : tags
    record["edited"] = Date()
    do {
      return try await database.save(record)
    } catch CKError.serverRecordChanged {
      throw Failure.conflict(record)
    } catch let error as CKError {
      switch error.code {
      case .zoneNotFound, .userDeletedZone: throw Failure.gone
      default: throw Failure.other(error)
      }
    }
  }

  func notes(containing word: String) async throws -> [CKRecord] {
    let query = CKQuery(
      recordType: "Note",
      predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [
        NSPredicate(format: "text BEGINSWITH %@", word), NSPredicate(value: true),
      ])
    )
    query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: false)]
    var found: [CKRecord] = []
    var (results, cursor) = try await database.records(
      matching: query,
      inZoneWith: zone.zoneID,
      desiredKeys: ["text"],
      resultsLimit: 2
    )
    found += results.compactMap { try? $0.1.get() }
    while let next = cursor {
      (results, cursor) = try await database.records(continuingMatchFrom: next)
      found += results.compactMap { try? $0.1.get() }
    }
    return found
  }

  func changes() async throws -> (changed: [CKRecordZone.ID], deleted: [CKRecordZone.ID]) {
    var changed: [CKRecordZone.ID] = []
    var deleted: [CKRecordZone.ID] = []
    var moreComing = true
    while moreComing {
      let changes = try await database.databaseChanges(since: databaseToken)
      changed += changes.modifications.map(\.zoneID)
      deleted += changes.deletions.map(\.zoneID)
      databaseToken = changes.changeToken
      moreComing = changes.moreComing
    }
    return (changed, deleted)
  }

  func records(since token: CKServerChangeToken?) async throws -> [CKRecord.ID: CKRecord] {
    let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token)
    return changes.modificationResultsByID.compactMapValues { try? $0.get().record }
  }

  func share(_ record: CKRecord, title: String) async throws -> URL? {
    let share = CKShare(rootRecord: record)
    share[CKShare.SystemFieldKey.title] = title as CKRecordValue
    share.publicPermission = .readOnly
    let (saveResults, _) = try await database.modifyRecords(
      saving: [record, share],
      deleting: [],
      savePolicy: .ifServerRecordUnchanged,
      atomically: true
    )
    guard let saved = try saveResults[share.recordID]?.get() as? CKShare else { return nil }
    return saved.url
  }

  func join(_ url: URL) async throws -> CKRecord? {
    let metadata = try await container.shareMetadata(for: url)
    try await container.accept(metadata)
    guard let root = metadata.hierarchicalRootRecordID else { return nil }
    return try await container.sharedCloudDatabase.record(for: root)
  }
}
