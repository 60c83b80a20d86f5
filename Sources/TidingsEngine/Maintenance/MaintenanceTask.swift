internal import TidingsModel

/// Work of the engine's own, done a little at a time between calls: to build an index, to forget what
/// is too old.
protocol MaintenanceTask: AnyObject {
  /// Does one piece of at most a few milliseconds, within the open transaction.
  ///
  /// - Parameter moment: That of the transaction.
  /// - Returns: When to come again; zero: at once, there is more to do.
  /// - Throws: `SQLError`.
  func work(at moment: Moment) throws -> Duration
}

/// When which maintenance task is due.
struct MaintenanceSchedule {
  /// One that failed comes again after this long, so that damage in its way does not keep the others
  /// from their work.
  private static let pauseAfterFailure = Duration.seconds(60)

  private struct Entry {
    let task: any MaintenanceTask
    var due = SteadyTime(milliseconds: 0)
    /// It failed: until then nothing wakes it.
    var rests = SteadyTime(milliseconds: 0)
  }

  private var tasks: [Entry]

  /// All of them are due.
  init(_ tasks: [any MaintenanceTask]) {
    self.tasks = tasks.map { Entry(task: $0) }
  }

  /// Does a piece of each maintenance task that is due.
  ///
  /// - Returns: How long until the next one; `nil`: never.
  mutating func work(at moment: Moment) throws -> Duration? {
    let now = moment.steady
    for index in tasks.indices where tasks[index].due <= now {
      do {
        tasks[index].due = now.advanced(by: try tasks[index].task.work(at: moment))
      } catch {
        tasks[index].rests = now.advanced(by: Self.pauseAfterFailure)
        tasks[index].due = tasks[index].rests
        throw error
      }
    }
    guard let next = tasks.lazy.map(\.due).min() else { return nil }
    return next <= now
      ? .zero : .milliseconds(next.milliseconds - now.milliseconds)
  }

  /// All maintenance tasks are due: something happened that gives them work.
  mutating func wake() {
    for index in tasks.indices { tasks[index].due = tasks[index].rests }
  }
}
