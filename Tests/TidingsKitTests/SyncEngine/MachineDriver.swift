import Foundation
import Testing

@testable import TidingsKit

/// Drives a sync engine's decisions with a server and a program that are values.
struct MachineDriver {
  /// So many actions no test needs until there is nothing to do.
  private static let actionsMax = 100_000

  var machine: SyncMachine
  var now = ContinuousClock.now
  /// What was reported and asked, in order.
  var log: [String] = []
  /// The states that were reported.
  var states: [SyncProgress] = []
  /// What the callers received.
  var finished: [UInt64: CKError.Code?] = [:]
  /// The server.
  var answer: (SyncQuestion) -> SyncAnswer = { MachineDriver.quiet($0) }
  /// The program.
  var reported: (CKSyncEngine.Event, inout SyncMachine) -> Void = { _, _ in }
  /// When it waits.
  var wait: ContinuousClock.Instant?

  init(_ progress: SyncProgress = .init(), isAutomatic: Bool = false, isSignedIn: Bool = true) {
    var progress = progress
    if isSignedIn, progress.user == nil { progress.user = "ada" }
    machine = SyncMachine(progress, isAutomatic: isAutomatic)
  }

  /// A server without changes that takes everything.
  static func quiet(_ question: SyncQuestion) -> SyncAnswer {
    switch question {
    case .user: .user(.success("ada"))
    case .databaseChanges: .databaseChanges(.success(.init(token: [1])))
    case .fetchOptions(let context): .fetchOptions(context.options)
    case .zoneChanges: .zoneChanges(.success(.init(token: [1])))
    case .modifyZones(let saving, let deleting, _):
      .modifiedZones(
        .init(
          savedZones: saving,
          failedZoneSaves: [],
          deletedZoneIDs: deleting,
          failedZoneDeletes: [:]
        )
      )
    case .batch: .batch(nil)
    case .modifyRecords(let batch):
      .modifiedRecords(
        .init(
          savedRecords: batch.recordsToSave,
          failedRecordSaves: [],
          deletedRecordIDs: batch.recordIDsToDelete,
          failedRecordDeletes: [:]
        )
      )
    }
  }

  /// Goes on until there is nothing to do.
  mutating func run() {
    for _ in 0..<Self.actionsMax {
      switch machine.next(now: now, spread: 1) {
      case .tell(let event):
        log.append(Self.name(event))
        if case .stateUpdate(let update) = event {
          states.append(update.stateSerialization.progress)
        }
        reported(event, &machine)
      case .ask(let question):
        log.append(Self.name(question))
        machine.take(answer(question), now: now, spread: 1)
      case .finish(let callers, let error):
        for caller in callers { finished.updateValue(error?.code, forKey: caller) }
      case .wait(let time):
        wait = time
        return
      case .rest:
        wait = nil
        return
      }
    }
    Issue.record("it goes on after \(Self.actionsMax) actions: \(log.suffix(10))")
  }

  /// Without what says who the user is, and what the program is asked.
  var events: [String] { log.filter { $0.first != "?" } }

  static func name(_ event: CKSyncEngine.Event) -> String {
    switch event {
    case .willFetchRecordZoneChanges(let event): "willFetch \(event.zoneID.zoneName)"
    case .didFetchRecordZoneChanges(let event):
      "didFetch \(event.zoneID.zoneName)" + (event.error.map { " \($0.code)" } ?? "")
    case .fetchedRecordZoneChanges(let event):
      "fetched \((event.modifications.map(\.record.recordID) + event.deletions.map(\.recordID)).map(\.recordName))"
    case .fetchedDatabaseChanges(let event):
      "zones \(event.modifications.map(\.zoneID.zoneName)) - \(event.deletions.map(\.zoneID.zoneName))"
    case .sentRecordZoneChanges(let event):
      "sent \(event.savedRecords.map(\.recordID.recordName)), "
        + "failed \(event.failedRecordSaves.map(\.error.code))"
    case .sentDatabaseChanges(let event): "sent zones \(event.savedZones.map(\.zoneID.zoneName))"
    default: "\(event)".prefix { $0 != "(" }.description
    }
  }

  static func name(_ question: SyncQuestion) -> String {
    switch question {
    case .user: "?user"
    case .databaseChanges(let token): "?database \(token)"
    case .fetchOptions: "?options"
    case .zoneChanges(let zone, let token): "?zone \(zone.zoneName) \(token)"
    case .modifyZones: "?zones"
    case .batch: "?batch"
    case .modifyRecords: "?records"
    }
  }

  static func zone(_ name: String) -> CKRecordZone.ID { .init(zoneName: name) }
  static func id(_ name: String, _ zone: String = "z") -> CKRecord.ID {
    .init(recordName: name, zoneID: Self.zone(zone))
  }
  static func record(_ name: String, _ zone: String = "z", tag: String? = nil) -> CKRecord {
    var contents = CKRecord.Contents(recordType: "T", recordID: id(name, zone))
    contents.changeTag = tag
    return CKRecord(contents)
  }
}
