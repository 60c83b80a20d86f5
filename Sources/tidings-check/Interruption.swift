internal import Glibc
internal import Synchronization

private let isRaised = Atomic(false)

/// SIGINT and SIGTERM: no more calls are made, and what was done is decided.
enum Interruption {
  static var isPending: Bool { isRaised.load(ordering: .relaxed) }

  /// Notes the first signal; a second one ends the process at once.
  static func install() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in isRaised.store(true, ordering: .relaxed) }
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
  }
}
