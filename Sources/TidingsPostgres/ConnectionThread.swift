internal import Synchronization
internal import TidingsThreads

/// A thread on which a connection waits for its server, for one thing after the other.
final class ConnectionThread: Sendable {
  private typealias Work = @Sendable () -> Void

  /// What the thread is to do.
  private final class Queue: Sendable {
    private let works = Mutex<(waiting: [Work], isEnding: Bool)>(([], false))
    private let wakeUp = Semaphore()

    func add(_ work: @escaping Work) {
      works.withLock { $0.waiting.append(work) }
      wakeUp.signal()
    }

    func end() {
      works.withLock { $0.isEnding = true }
      wakeUp.signal()
    }

    /// Waits; `nil`: the thread is to end.
    func take() -> Work? {
      while true {
        wakeUp.wait()
        let (work, isEnding): (Work?, Bool) = works.withLock { works in
          (works.waiting.isEmpty ? nil : works.waiting.removeFirst(), works.isEnding)
        }
        if work != nil || isEnding { return work }
      }
    }
  }

  private let queue = Queue()

  init() {
    startThread { [queue] in
      while let work = queue.take() { work() }
    }
  }

  deinit { queue.end() }

  /// Does something when the thread is done with what came before.
  func add(_ work: @escaping @Sendable () -> Void) { queue.add(work) }
}
