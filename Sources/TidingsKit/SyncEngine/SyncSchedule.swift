/// The schedule of an engine that syncs automatically: requests and failures in, the next action out.
struct SyncSchedule: Sendable {
  /// What can be done; the first that is due is done first.
  enum Work: Int, CaseIterable, Sendable {
    /// Finding out who the user is.
    case account
    case fetch
    case send
  }

  /// What is to be done now.
  enum Decision: Equatable, Sendable {
    case work(Work)
    case wait(until: ContinuousClock.Instant)
    /// Nothing until something happens.
    case idle
  }

  private struct Lane: Sendable {
    var isWanted = false
    var notBefore: ContinuousClock.Instant?
    /// The server said when to come again.
    var isObeying = false
    /// It was cancelled: until something is requested.
    var isPostponed = false
    var failures = 0
  }

  /// The first wait after a failure.
  static let shortestPause = Duration.milliseconds(100)
  /// The longest one, unless the server asks for a longer one.
  static let longestPause = Duration.seconds(30)
  /// The longest one that a server can ask for.
  static let longestObeyed = Duration.seconds(3600)

  private var lanes: [Lane] = Work.allCases.map { _ in Lane() }

  /// Something is to be done: at once, unless it failed a moment ago.
  mutating func want(_ work: Work) {
    lanes[work.rawValue].isWanted = true
    guard lanes[work.rawValue].isPostponed else { return }
    lanes[work.rawValue].isPostponed = false
    lanes[work.rawValue].notBefore = nil
  }

  /// The server can be reached again: what failed is tried at once.
  mutating func hurry() {
    for index in lanes.indices where !lanes[index].isObeying { lanes[index].notBefore = nil }
  }

  /// It begins.
  mutating func begin(_ work: Work) { lanes[work.rawValue].isWanted = false }

  /// It succeeded, at least in part.
  mutating func succeed(_ work: Work) {
    lanes[work.rawValue].failures = 0
    lanes[work.rawValue].notBefore = nil
  }

  /// It failed: it is wanted again, later each time.
  ///
  /// - Parameters:
  ///   - work: What failed.
  ///   - retryAfter: What the server said.
  ///   - now: The time.
  ///   - spread: 0...1, so that not all clients come again at the same time.
  mutating func fail(
    _ work: Work,
    retryAfter: Duration? = nil,
    now: ContinuousClock.Instant,
    spread: Double
  ) {
    var lane = lanes[work.rawValue]
    let doubled = Self.shortestPause * (1 << min(lane.failures, 16))
    var pause = min(doubled, Self.longestPause) * (0.5 + spread / 2)
    if let retryAfter { pause = max(pause, min(retryAfter, Self.longestObeyed)) }
    lane.failures += 1
    lane.isWanted = true
    lane.isObeying = retryAfter != nil
    lane.notBefore = now.advanced(by: pause)
    lanes[work.rawValue] = lane
  }

  /// It was cancelled: it is retried after the longest pause, or when something is requested.
  mutating func postpone(_ work: Work, now: ContinuousClock.Instant) {
    lanes[work.rawValue].isWanted = true
    lanes[work.rawValue].isPostponed = true
    lanes[work.rawValue].notBefore = now.advanced(by: Self.longestPause)
  }

  /// What is to be done now.
  func decide(now: ContinuousClock.Instant) -> Decision {
    var next: ContinuousClock.Instant?
    for work in Work.allCases {
      let lane = lanes[work.rawValue]
      guard lane.isWanted else { continue }
      guard let time = lane.notBefore, time > now else { return .work(work) }
      next = min(next ?? time, time)
    }
    return next.map { .wait(until: $0) } ?? .idle
  }
}
