/// Work that is done in slices, on a thread of its own that runs only while its owner waits for it.
///
/// Unchecked: never do both run, and the semaphores hand what one has written to the other. So the work may use
/// whatever its owner may, and needs no lock.
package final class PausedWork: @unchecked Sendable {
  private let resumed = Semaphore()
  private let paused = Semaphore()
  private let body: () -> Void
  private var sliceEnd = ContinuousClock.now
  private var isBegun = false
  /// Of the thread, and of its last slice.
  private var processorTime = Duration.zero
  private var used = Duration.zero
  /// There is nothing left to do.
  package private(set) var isDone = false

  /// - Parameter body: The work; it calls `pauseIfOver` now and then.
  package init(_ body: @escaping () -> Void) { self.body = body }

  /// Does a slice of the work; the owner waits for its end.
  ///
  /// - Returns: How long the work was on a processor.
  package func resume(for duration: Duration) -> Duration {
    sliceEnd = .now.advanced(by: duration)
    if isBegun { resumed.signal() } else { begin() }
    paused.wait()
    return used
  }

  /// Ends the slice if it took its time, and returns with the next one; called by the work.
  package func pauseIfOver() {
    guard sliceEnd <= .now else { return }
    endSlice()
    resumed.wait()
  }

  private func begin() {
    isBegun = true
    startThread { [self] in
      body()
      isDone = true
      endSlice()
    }
  }

  private func endSlice() {
    let time = threadProcessorTime()
    (used, processorTime) = (time - processorTime, time)
    paused.signal()
  }
}
