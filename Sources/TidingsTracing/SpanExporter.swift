internal import Synchronization
internal import TidingsThreads

/// Sends spans on a thread of its own, in batches; those that wait are bounded, and what does not fit is dropped.
final class SpanExporter: Sendable {
  struct Counters: Sendable {
    var exported: UInt64 = 0
    var dropped: UInt64 = 0
  }

  private struct State {
    var waiting: [Span] = []
    var counters = Counters()
    var isStopping = false
  }

  /// A batch that the collector cannot take now is sent so often.
  private static let attemptsMax = 5
  private static let firstPause = Duration.milliseconds(500)
  private static let pauseMax = Duration.seconds(30)
  /// Why spans were not sent is said once in this time.
  private static let warningPause = Duration.seconds(60)

  private let settings: TraceSettings
  private let encoder: OTLPRequest
  private let warn: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let wakeUp = Semaphore()
  private let ended = OneTimeSignal()

  init(_ settings: TraceSettings, version: String, warn: @escaping @Sendable (String) -> Void) {
    (self.settings, self.warn) = (settings, warn)
    encoder = OTLPRequest(settings, version: version)
    startThread { [self] in
      run()
      ended.fire()
    }
  }

  var counters: Counters { state.withLock(\.counters) }

  func add(_ span: Span) {
    let isFull = state.withLock { state in
      guard !state.isStopping, state.waiting.count < settings.queueMax else {
        state.counters.dropped += 1
        return false
      }
      state.waiting.append(span)
      return state.waiting.count == settings.batchMax
    }
    if isFull { wakeUp.signal() }
  }

  func stop(within patience: Duration) async {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    let timeout = Task { [ended] in
      try? await Task.sleep(for: patience)
      ended.fire()
    }
    await ended.wait()
    timeout.cancel()
  }

  private func run() {
    let post = HTTPPost(settings)
    var warned: ContinuousClock.Instant?
    while true {
      let (isStopping, isBatchThere) = state.withLock {
        ($0.isStopping, $0.waiting.count >= settings.batchMax)
      }
      if !isStopping, !isBatchThere { _ = wakeUp.wait(for: settings.delay) }
      let batch = state.withLock { state in
        let batch = Array(state.waiting.prefix(settings.batchMax))
        state.waiting.removeFirst(batch.count)
        return batch
      }
      guard !batch.isEmpty else {
        if isStopping { return }
        continue
      }
      let failure = send(batch, post)
      state.withLock { state in
        if failure == nil {
          state.counters.exported += UInt64(batch.count)
        } else {
          state.counters.dropped += UInt64(batch.count)
        }
      }
      guard let failure else { continue }
      if warned.map({ $0.duration(to: .now) > Self.warningPause }) ?? true {
        warned = .now
        warn(failure)
      }
    }
  }

  /// Sends a batch, again where that may help.
  ///
  /// - Returns: Why it was dropped; `nil`: the collector has it.
  private func send(_ batch: [Span], _ post: borrowing HTTPPost) -> String? {
    let body = encoder.encode(batch)
    var pause = Self.firstPause
    for attempt in 1... {
      switch post.send(body) {
      case .taken: return nil
      case .refused(let reason): return reason
      case .tryAgain(let reason, let retryAfter):
        // Whoever stops the program does not wait for a collector that is away.
        guard attempt < Self.attemptsMax, !state.withLock(\.isStopping) else { return reason }
        let jitter = Double.random(in: 0.5...1)
        _ = wakeUp.wait(for: min(max(pause * jitter, retryAfter), Self.pauseMax))
        pause = pause * 2
      }
    }
    return nil
  }
}
