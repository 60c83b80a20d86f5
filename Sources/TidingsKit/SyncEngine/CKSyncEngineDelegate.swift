/// The program's side of a sync engine.
///
/// Calls come one after the other, on no particular thread. The engine does not keep its delegate.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Receives an event; the next one comes when this returned.
  ///
  /// To call `fetchChanges` or `sendChanges` and wait here fails: the engine would wait for itself.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// The records to send next; `nil`: there are none.
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// What to fetch next; asked before each page of records.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// What the context has.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    context.options
  }
}
