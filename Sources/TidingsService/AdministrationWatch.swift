internal import TidingsEngine
internal import TidingsModel

/// When the log says that soon nobody can administer, and how.
struct AdministrationWatch {
  /// How long before.
  static let noticeMilliseconds: Int64 = 14 * 86_400_000
  private static let pause = Duration.seconds(86_400)

  /// The next look; `nil`: there is nothing to look at.
  private(set) var due: ContinuousClock.Instant?

  /// Looks at once, and every day.
  mutating func begin(at now: ContinuousClock.Instant) { due = now }

  /// Whether to look now; then the next time is a day later.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    guard let due, due <= now else { return false }
    self.due = now.advanced(by: Self.pause)
    return true
  }

  /// What the log says; `nil`: nothing.
  static func warning(_ administration: Administration, at now: Timestamp) -> String? {
    switch administration {
    case .lasting: return nil
    case .until(let time):
      let left = time.millisecondsSince1970 - now.millisecondsSince1970
      guard left < noticeMilliseconds else { return nil }
      return "the last key of an administrator expires at \(time.utcText): "
        + "authorize one without expiry, `rpcctl keys authorize --user NAME KEY`"
    case .impossible:
      return
        "no administrator can call, since all their keys are revoked, expired or of restricted users: "
        + "stop rpcd, and create another key with `rpcd init --admin NAME`"
    }
  }
}
