import Dispatch
import Synchronization

/// Pings the supervisor while the server's loop turns.
///
/// Each word of it comes from the loop itself: when that hangs none comes, and the supervisor starts
/// rpcd.
final class Watchdog: Sendable {
  /// The interval.
  let interval: Duration

  private let isUnderWay = Atomic(false)

  /// What the supervisor wants; `nil`: it does not watch this process.
  ///
  /// - Parameters:
  ///   - microseconds: `WATCHDOG_USEC`: silence for so long means that rpcd hangs.
  ///   - watched: `WATCHDOG_PID`: who is meant; `nil`: who reads it.
  ///   - process: This process.
  init?(microseconds: String?, watched: String?, process: Int32) {
    guard let microseconds = microseconds.flatMap({ Int64($0) }), microseconds > 0,
      watched == nil || watched == "\(process)"
    else { return nil }
    // Twice as often as must be, as sd_watchdog_enabled(3) says.
    interval = .microseconds(max(microseconds / 2, 1))
  }

  /// Begins, for as long as the process lives.
  ///
  /// - Parameters:
  ///   - submit: Hands a closure to the loop; `false`: the loop does not take it.
  ///   - ping: Sends a ping; called on the loop.
  func start(
    submit: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Bool,
    ping: @escaping @Sendable () -> Void
  ) {
    let timer = DispatchSource.makeTimerSource()
    let pause = DispatchTimeInterval.nanoseconds(Int(interval / .nanoseconds(1)))
    timer.schedule(deadline: .now(), repeating: pause)
    timer.setEventHandler {
      // The source holds itself that way.
      _ = timer
      self.ask(submit: submit, ping: ping)
    }
    timer.resume()
  }

  /// Asks the loop for a word, unless it still owes the last one.
  func ask(
    submit: (_ job: @escaping @Sendable () -> Void) -> Bool,
    ping: @escaping @Sendable () -> Void
  ) {
    guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
    let isTaken = submit {
      ping()
      self.isUnderWay.store(false, ordering: .relaxed)
    }
    if !isTaken { isUnderWay.store(false, ordering: .relaxed) }
  }
}
