internal import CStoreVFS
internal import Glibc
internal import Synchronization

/// A sync of a store's file that failed.
///
/// The system may have dropped what was to be written, and reports success for the next sync. So
/// from then on this process writes nothing to any store, and is to end: the next start copies the
/// whole log again.
public struct SyncFailure: Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The system's reason.
  public let reason: String

  /// What failed, and why.
  public var description: String { "syncing '\(path)' failed: \(reason)" }

  /// Whether one has happened in this process.
  public static var hasHappened: Bool { tidings_vfs_sync_failed() != 0 }

  private typealias Observer = @Sendable (SyncFailure) -> Void
  private static let observer = Mutex<Observer?>(nil)

  /// Sets what is called when the first one happens, on whichever thread it does.
  public static func observe(_ observer: @escaping @Sendable (SyncFailure) -> Void) {
    Self.observer.withLock { $0 = observer }
    tidings_vfs_on_failed_sync { path, error in
      let failure = SyncFailure(
        path: path.map { String(cString: $0) } ?? "",
        reason: String(cString: strerror(error))
      )
      SyncFailure.observer.withLock(\.self)?(failure)
    }
  }
}
