internal import TidingsEngine
internal import TidingsLogging
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsZeroMQ

/// When the engine's own work has its turns, between those of callers.
final class MaintenanceTurns {
  /// Between two pieces of work callers have their turns.
  private static let pause = Duration.milliseconds(1)
  private static let pauseAfterFailure = Duration.seconds(10)
  private static let pauseDuringLongCall = Duration.milliseconds(10)

  private let calls: GroupedCalls
  private var due: ContinuousClock.Instant? = .now
  private var administrationWatch = AdministrationWatch()
  /// Pieces of work, in nanoseconds.
  private(set) var pieces = Histogram(.durations)
  /// Pieces that failed.
  private(set) var failedCount: UInt64 = 0

  /// - Parameters:
  ///   - calls: Whose groups the work shares.
  ///   - isAdministered: Warn before nobody can administer.
  init(_ calls: GroupedCalls, isAdministered: Bool) {
    self.calls = calls
    if isAdministered { administrationWatch.begin(at: .now) }
  }

  private var engine: Engine { calls.engine }

  /// When `timerFired` is due; `nil`: never.
  var nextTimer: ContinuousClock.Instant? {
    guard let due else { return administrationWatch.due }
    return administrationWatch.due.map { min($0, due) } ?? due
  }

  /// There is work that must not wait.
  func groupCommitted() {
    if engine.hasUrgentMaintenance { due = .now }
  }

  /// Notes that a page of the log brought notifications to a device.
  func noteFetch(_ reached: [Int64: Int64], by caller: Caller) {
    guard !engine.isBeingErased(caller.user),
      let pause = engine.noteFetch(reached, by: caller, at: .now)
    else { return }
    let next = ContinuousClock.now.advanced(by: pause)
    due = due.map { min($0, next) } ?? next
  }

  func timerFired(on loop: LoopContext) {
    if let due, due <= loop.now { work(on: loop) }
    if administrationWatch.isDue(at: loop.now) { watchAdministration() }
  }

  /// The next run need not find out how much time passed: the server is stopping.
  func stop() {
    do {
      try engine.keepTime()
    } catch {
      engine.rollback()
      calls.logger.log(.warning, "the store's time was not kept", ["reason": "\(error)"])
    }
  }

  private func work(on loop: LoopContext) {
    guard !calls.gathers || calls.isServingWaiting else {
      due = nil
      return calls.longCalls.hold { [self] loop in work(on: loop) }
    }
    guard !calls.isStoreTaken else {
      due = .now.advanced(by: Self.pauseDuringLongCall)
      return
    }
    guard calls.hasRoom else {
      due = .now.advanced(by: Self.pauseAfterFailure)
      return
    }
    let begin = monotonicNanoseconds()
    defer { pieces.note(UInt64(max(0, monotonicNanoseconds() - begin))) }
    do {
      try calls.committer.openForMaintenance()
      if let notice = engine.takeClockNotice() {
        calls.logger.log(notice.isWarning ? .warning : .info, notice.description)
      }
      let pauses = [try engine.doMaintenance(), try calls.store.releaseSpace()]
      due = pauses.compactMap(\.self).min().map { .now.advanced(by: max($0, Self.pause)) }
    } catch {
      due = .now.advanced(by: Self.pauseAfterFailure)
      failedCount += 1
      calls.workFailed(error, on: loop)
    }
  }

  private func watchAdministration() {
    do {
      guard let warning = AdministrationWatch.warning(try engine.administration, at: .now) else {
        return
      }
      calls.logger.log(.warning, warning)
    } catch {
      calls.failures.note(error, in: "the look at the administrators' keys")
    }
  }
}
