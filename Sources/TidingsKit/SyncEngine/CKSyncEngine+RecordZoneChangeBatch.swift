internal import Synchronization
internal import TidingsProtobuf

extension CKSyncEngine {
  /// Records that are sent in one call.
  public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
    /// Records to save.
    public var recordsToSave: [CKRecord]
    /// Records to delete.
    public var recordIDsToDelete: [CKRecord.ID]
    /// All of a zone's records succeed, or none does.
    public var atomicByZone: Bool

    /// A batch made of pending changes, in their order, until it is full; `nil` when nothing is to be sent.
    ///
    /// - Parameters:
    ///   - pendingChanges: What is to be sent.
    ///   - recordProvider: The record to save; `nil` skips it. To skip it permanently, remove the
    ///     change from the state.
    public init?(
      pendingChanges: [PendingRecordZoneChange],
      recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
    ) async {
      self.init()
      var bytes = 0
      for change in pendingChanges {
        guard count < RecordModification.itemsPerCallMax else { break }
        switch change {
        case .deleteRecord(let id): recordIDsToDelete.append(id)
        case .saveRecord(let id):
          guard let record = await recordProvider(id) else { continue }
          bytes += record.contents.withLock { $0.saved(sendsAll: false).encoded().count }
          guard bytes <= RecordModification.bytesPerCallMax || count == 0 else { return }
          recordsToSave.append(record)
        }
      }
      if count == 0 { return nil }
    }

    /// A batch of these records.
    ///
    /// One with more than 400 records is sent in several calls, unless it is atomic.
    public init(
      recordsToSave: [CKRecord] = [],
      recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      self.recordsToSave = recordsToSave
      self.recordIDsToDelete = recordIDsToDelete
      self.atomicByZone = atomicByZone
    }

    var count: Int { recordsToSave.count + recordIDsToDelete.count }

    /// How many records it has.
    public var description: String {
      "\(recordsToSave.count) to save, \(recordIDsToDelete.count) to delete"
        + (atomicByZone ? ", atomic" : "")
    }
  }
}
