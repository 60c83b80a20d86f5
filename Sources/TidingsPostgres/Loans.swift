internal import TidingsThreads

/// Works for which a connection is lent to a thread of its own, one after the other; who has lent it counts them.
struct Loans {
  private var thread: ConnectionThread?
  /// Signaled for each work that the thread is done with.
  private let ends = Semaphore()
  /// Works that the thread may not be done with.
  private var count = 0

  /// The thread may have the connection.
  var areOpen: Bool { count > 0 }

  /// The thread gets the connection for a work, when it is done with those before.
  mutating func add(_ work: @escaping @Sendable () -> Void) {
    let thread = self.thread ?? ConnectionThread()
    self.thread = thread
    count += 1
    thread.add { [ends] in
      work()
      ends.signal()
    }
  }

  /// Takes note of the works that the thread is done with; does not wait.
  mutating func noteEnds() {
    while count > 0, ends.wait(for: .zero) { count -= 1 }
  }

  /// Waits until the thread is done with all works.
  mutating func wait() {
    while count > 0 {
      ends.wait()
      count -= 1
    }
  }
}
