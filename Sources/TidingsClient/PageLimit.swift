/// How many items a page may have on a network that does not carry large answers, or of a server whose items are large.
///
/// A page that is lost is asked for again with half as many items, down to one, and one that timed out with a quarter;
/// after one that took long the next one has half as many. After some pages that came soon, twice as many are asked
/// for, until nothing is bounded any more. A network that cuts each connection after so many bytes is thus asked for too
/// much only now and then, and a slow one for what it carries in time.
struct PageLimit: Hashable, Sendable {
  /// The bound after the first failure of a page without a limit is half of this: so many a server
  /// puts into a page, unless it is configured otherwise.
  static let usual: UInt32 = 400
  /// Pages that must come before more is asked for.
  static let passesMin = 8
  /// A page that takes longer is close to a time-out, and to the end of its connection: heartbeats wait behind it.
  static let slow = Duration.seconds(5)
  /// What is left of a page that timed out: nobody knows how much was missing.
  static let lateDivisor: UInt32 = 4

  /// Most items of a page; `nil`: any number.
  private(set) var bound: UInt32?
  private var passes = 0

  /// What to ask for instead of `asked`; 0: as many as the server allows.
  func limit(_ asked: UInt32) -> UInt32 {
    guard let bound else { return asked }
    return asked == 0 ? bound : min(asked, bound)
  }

  /// A page did not come.
  ///
  /// - Parameters:
  ///   - limit: How many items it was to have; 0: as many as the server allows.
  ///   - divisor: So much smaller the next one is.
  /// - Returns: Whether fewer will be asked for.
  mutating func lost(_ limit: UInt32, divisor: UInt32 = 2) -> Bool {
    passes = 0
    let had = limit == 0 ? Self.usual : min(limit, Self.usual)
    guard had > 1 else { return false }
    // Another page that was lost at the same time may have lowered it already.
    bound = min(bound ?? .max, max(1, had / divisor))
    return true
  }

  /// A page came.
  ///
  /// - Parameters:
  ///   - limit: How many items it was to have; 0: as many as the server allows.
  ///   - duration: How long it took.
  mutating func passed(_ limit: UInt32, in duration: Duration) {
    if duration > Self.slow { _ = lost(limit) }
    // Twice as many must not be slow.
    guard let current = bound, duration < Self.slow / 4 else { return }
    passes += 1
    guard passes >= Self.passesMin else { return }
    passes = 0
    bound = current >= Self.usual / 2 ? nil : current * 2
  }
}
