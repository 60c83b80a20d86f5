/// How many items a page may have on a network that does not carry large answers, or of a server whose items are large.
///
/// A page that is lost is asked for again with half as many items, down to one; after some pages that came, twice as many
/// are asked for, until nothing is bounded any more. A network that cuts each connection after so many bytes is thus
/// asked for too much only now and then.
struct PageLimit: Hashable, Sendable {
  /// The bound after the first failure of a page without a limit is half of this: so many a server
  /// puts into a page, unless it is configured otherwise.
  static let usual: UInt32 = 400
  /// Pages that must come before more is asked for.
  static let passesMin = 8

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
  /// - Parameter limit: How many items it was to have; 0: as many as the server allows.
  /// - Returns: Whether fewer will be asked for.
  mutating func lost(_ limit: UInt32) -> Bool {
    passes = 0
    let had = limit == 0 ? Self.usual : min(limit, Self.usual)
    guard had > 1 else { return false }
    // Another page that was lost at the same time may have lowered it already.
    bound = min(bound ?? .max, had / 2)
    return true
  }

  /// A page came.
  mutating func passed() {
    guard let current = bound else { return }
    passes += 1
    guard passes >= Self.passesMin else { return }
    passes = 0
    bound = current >= Self.usual / 2 ? nil : current * 2
  }
}
