import Glibc
import Synchronization

private let isRaised = Atomic(false)

/// SIGINT and SIGTERM: the run ends early, and stops and removes what it started.
enum Interruption {
  /// Notes the first signal; a second one ends the process at once.
  static func install() {
    isRaised.store(false, ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in isRaised.store(true, ordering: .relaxed) }
    // Without SA_RESTART, so that waiting calls return.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
  }

  /// Throws once a signal came.
  static func check() throws {
    if isRaised.load(ordering: .relaxed) { throw BenchError("interrupted") }
  }
}
