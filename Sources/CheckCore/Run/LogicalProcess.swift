internal import TidingsClient
internal import TidingsRPC

/// One of the processes of a workload: its calls follow each other.
///
/// After a call of unknown outcome it is another process, because that call may still take effect.
struct LogicalProcess: Sendable {
  let stage: Stage
  /// Among the processes of the workload, from 0.
  let index: Int
  /// Its number in the history.
  private(set) var number: Int
  var random: SeededRandom

  init(_ stage: Stage, index: Int, _ random: SeededRandom) {
    self.stage = stage
    self.index = index
    self.random = random
    number = stage.recorder.newProcess()
  }

  /// Makes a call with any connection, and records it.
  ///
  /// - Parameters:
  ///   - call: What is sent.
  ///   - client: The connection; `nil`: any.
  ///   - body: Makes the call, and notes the answer. It may set the outcome to `failed`; otherwise the call is
  ///     ok if nothing is thrown.
  /// - Returns: The call as it was recorded.
  /// - Throws: `CancellationError`.
  @discardableResult
  mutating func make(
    _ call: Call,
    with client: Client? = nil,
    _ body: (Client, inout Call) async throws -> Void
  ) async throws -> Call {
    var call = call
    let client = client ?? random.pick(stage.connections)
    call.process = number
    call.begin = stage.recorder.now
    do {
      try await body(client, &call)
    } catch let error as RPCError {
      call.outcome = error.outcome
      call.reason = "\(error)"
    }
    call.end = stage.recorder.now
    stage.recorder.add(call)
    if call.outcome == .unknown { number = stage.recorder.newProcess() }
    // A server that starts again needs the processor too.
    if call.outcome == .unknown || call.isRefused { try await pause(20) }
    return call
  }

  /// Waits up to so many milliseconds.
  mutating func pause(_ milliseconds: Int) async throws {
    try await Task.sleep(for: .milliseconds(1 + random.below(milliseconds)))
  }
}

extension Call {
  /// No server has executed it.
  fileprivate var isRefused: Bool { outcome == .failed && reason.hasPrefix("UNAVAILABLE") }
}
