internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A stream of notifications that can restart when the log no longer reaches back to its position.
struct NotificationWatch: Sendable {
  let session: Session
  let begin: WatchStart
  /// Restarts then; otherwise it ends with the error.
  let refetches: Bool
  let output: Output

  /// Passes on the stream, if necessary a second time, from the oldest notification in the log.
  func run(_ body: (any NotificationSource) async throws -> Void) async throws {
    do {
      try await body(try stream(begin))
    } catch InboxError.changeTokenExpired(let message) where refetches {
      output.log(
        "rpcctl: \(message)\nrpcctl: restarting with the oldest notification in the log; some were missed"
      )
      if let path = begin.statePath { AtomicFile.remove(path) }
      try await body(
        try stream(
          WatchStart(statePath: begin.statePath, includesReadMarks: begin.includesReadMarks)
        )
      )
    }
  }

  private func stream(_ start: WatchStart) throws -> any NotificationSource {
    try session.notifications(start) { [output] event in
      switch event {
      case .lost(let error):
        output.log("rpcctl: connection lost, reconnecting: \(error)")
      case .slow(let error):
        output.log("rpcctl: answers do not arrive in time, requesting smaller ones: \(error)")
      case .restored(let time):
        output.log(
          "rpcctl: connection restored after \(time.shortText); no notifications were missed"
        )
      case .restarted(let error): output.log("rpcctl: restarting: \(error)")
      }
    }
  }
}

/// Logs regularly that a watch and its server are alive.
struct Heartbeat: Sendable {
  private static let pause = Duration.seconds(60)

  private let session: Session
  private let invocation: Invocation

  init(_ session: Session, _ invocation: Invocation) {
    self.session = session
    self.invocation = invocation
  }

  /// Logs at once and then each minute, until the task is cancelled.
  func beat(_ progress: WatchProgress) async {
    while !Task.isCancelled {
      let begin = ContinuousClock.now
      do {
        _ = try await TidingsRpcV1.HealthService.Client(session.transport).check(
          .init(),
          options: invocation.callOptions
        )
        let received = counted(progress.count, "notification")
        invocation.output.log(
          "rpcctl: alive at \(wallClock().text): \(received) so far, the server answered in "
            + "\((ContinuousClock.now - begin).shortText)"
        )
      } catch {
        if !Task.isCancelled {
          invocation.output.log("rpcctl: the server did not answer: \(error)")
        }
      }
      try? await Task.sleep(for: Self.pause)
    }
  }
}
