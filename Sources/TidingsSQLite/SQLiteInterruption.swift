internal import CSQLite
internal import Synchronization
internal import TidingsSQL

/// Interrupts a connection from other threads, as long as it exists.
///
/// Unchecked: `sqlite3_interrupt` may be called from any thread while the connection is open, which the
/// lock guarantees.
final class SQLiteInterruption: SQLInterruption, @unchecked Sendable {
  private let lock = Mutex(())
  private var handle: OpaquePointer?

  init(_ handle: OpaquePointer) { self.handle = handle }

  func interrupt() {
    lock.withLock { _ in
      if let handle { sqlite3_interrupt(handle) }
    }
  }

  func connectionEnds() { lock.withLock { _ in handle = nil } }
}
