import Glibc
import Synchronization

private let wasRaised = Atomic(false)

/// SIGINT and SIGTERM: the run ends early, and stops and removes what it started.
enum Interruption {
  /// Notes the first signal; a second one ends the process at once.
  static func install() {
    wasRaised.store(false, ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in wasRaised.store(true, ordering: .relaxed) }
    // Without SA_RESTART, so that waiting calls return.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
  }

  /// Whether a signal came.
  static var isRaised: Bool { wasRaised.load(ordering: .relaxed) }

  /// Throws once a signal came.
  static func check() throws {
    if isRaised { throw BenchError("interrupted") }
  }
}
