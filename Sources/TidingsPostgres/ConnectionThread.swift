internal import Synchronization
internal import TidingsThreads

/// A thread on which a connection waits for its server, one thing at a time.
final class ConnectionThread: Sendable {
  private typealias Work = @Sendable () -> Void

  /// What the thread is to do next.
  private final class Slot: Sendable {
    private let next = Mutex<(work: Work?, isEnding: Bool)>((nil, false))
    private let wakeUp = Semaphore()

    func set(_ work: Work?) {
      next.withLock { $0 = (work, work == nil) }
      wakeUp.signal()
    }

    /// Waits; `nil`: the thread is to end.
    func take() -> Work? {
      while true {
        wakeUp.wait()
        let (work, isEnding) = next.withLock { next in
          defer { next.work = nil }
          return next
        }
        if work != nil || isEnding { return work }
      }
    }
  }

  private let slot = Slot()

  init() {
    startThread { [slot] in
      while let work = slot.take() { work() }
    }
  }

  deinit { slot.set(nil) }

  /// Begins to do something; the one before has ended.
  func begin(_ work: @escaping @Sendable () -> Void) { slot.set(work) }
}
