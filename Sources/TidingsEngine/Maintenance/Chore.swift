internal import TidingsModel

/// Work of the engine's own, done a little at a time between calls: to build an index, to forget what
/// is too old.
protocol Chore: AnyObject {
  /// Does one piece of at most a few milliseconds, within the open transaction.
  ///
  /// - Parameter moment: That of the transaction.
  /// - Returns: When to come again; zero: at once, there is more to do.
  /// - Throws: `SQLError`.
  func work(at moment: Moment) throws -> Duration
}

/// When which chore is due.
struct ChoreSchedule {
  /// One that failed comes again after this long, so that damage in its way does not keep the others
  /// from their work.
  private static let pauseAfterFailure = Duration.seconds(60)

  private struct Entry {
    let chore: any Chore
    var due = SteadyTime(milliseconds: 0)
    /// It failed: until then nothing wakes it.
    var rests = SteadyTime(milliseconds: 0)
  }

  private var chores: [Entry]

  /// All of them are due.
  init(_ chores: [any Chore]) { self.chores = chores.map { Entry(chore: $0) } }

  /// Does a piece of each chore that is due.
  ///
  /// - Returns: How long until the next one; `nil`: never.
  mutating func work(at moment: Moment) throws -> Duration? {
    let now = moment.steady
    for index in chores.indices where chores[index].due <= now {
      do {
        chores[index].due = now.advanced(by: try chores[index].chore.work(at: moment))
      } catch {
        chores[index].rests = now.advanced(by: Self.pauseAfterFailure)
        chores[index].due = chores[index].rests
        throw error
      }
    }
    guard let next = chores.lazy.map(\.due).min() else { return nil }
    return next <= now
      ? .zero : .milliseconds(next.milliseconds - now.milliseconds)
  }

  /// All chores are due: something happened that gives them work.
  mutating func wake() {
    for index in chores.indices { chores[index].due = chores[index].rests }
  }
}
