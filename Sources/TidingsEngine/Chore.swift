internal import TidingsModel

/// Work of the engine's own, done a little at a time between calls: to build an index, to forget what
/// is too old.
protocol Chore: AnyObject {
  /// Does one piece of at most a few milliseconds, within the open transaction.
  ///
  /// - Parameter now: The time of the transaction.
  /// - Returns: When to come again; zero: at once, there is more to do.
  /// - Throws: `SQLError`.
  func work(at now: Timestamp) throws -> Duration
}

/// When which chore is due.
struct ChoreSchedule {
  private var chores: [(chore: any Chore, due: Timestamp)]

  /// All of them are due.
  init(_ chores: [any Chore]) {
    self.chores = chores.map { ($0, Timestamp(millisecondsSince1970: 0)) }
  }

  /// Does a piece of each chore that is due.
  ///
  /// - Returns: How long until the next one; `nil`: never.
  mutating func work(at now: Timestamp) throws -> Duration? {
    for index in chores.indices where chores[index].due <= now {
      let pause = try chores[index].chore.work(at: now)
      chores[index].due = now.advanced(by: pause)
    }
    guard let next = chores.lazy.map(\.due).min() else { return nil }
    return next <= now
      ? .zero : .milliseconds(next.millisecondsSince1970 - now.millisecondsSince1970)
  }

  /// All chores are due: something happened that gives them work.
  mutating func wake() {
    for index in chores.indices { chores[index].due = Timestamp(millisecondsSince1970: 0) }
  }
}

extension Timestamp {
  /// The time so much later.
  func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    return Timestamp(
      millisecondsSince1970: millisecondsSince1970 + seconds * 1000
        + attoseconds / 1_000_000_000_000_000
    )
  }
}
