internal import Foundation

/// Names of what a run of the tests leaves outside of its folder if it is killed: with its process, so that a later run
/// knows what nobody uses any more.
enum RunName {
  private static let prefix = "tidings-tests-"

  /// The name of all that this run has.
  static let ofRun = "\(prefix)\(getpid())"

  /// A name that nothing else has.
  static func make() -> String { "\(ofRun)-\(UUID().uuidString)" }

  /// Whether a name is that of a run whose process is gone.
  static func isOfEndedRun(_ name: some StringProtocol) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    guard let pid = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }) else { return false }
    return kill(pid, 0) != 0 && errno == ESRCH
  }
}
