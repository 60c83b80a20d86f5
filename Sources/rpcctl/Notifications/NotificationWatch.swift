internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A stream of notifications that begins anew when the log no longer reaches back to where it was.
struct NotificationWatch: Sendable {
  let session: Session
  let begin: WatchStart
  /// Otherwise it ends with the error.
  let refetches: Bool
  let output: Output

  /// Hands the stream out; a second time, from the oldest notification that is kept, if it must be.
  func run(_ body: (any NotificationSource) async throws -> Void) async throws {
    do {
      try await body(try stream(begin))
    } catch InboxError.changeTokenExpired(let message) where refetches {
      output.tell(
        "rpcctl: \(message)\nrpcctl: begins with the oldest that is kept; some are missed"
      )
      if let path = begin.statePath { AtomicFile.remove(path) }
      try await body(
        try stream(WatchStart(statePath: begin.statePath, tellsReadMarks: begin.tellsReadMarks))
      )
    }
  }

  private func stream(_ start: WatchStart) throws -> any NotificationSource {
    try session.notifications(start) { [output] event in
      switch event {
      case .lost(let error):
        output.tell("rpcctl: the connection is lost, trying again: \(error)")
      case .restored(let time):
        output.tell(
          "rpcctl: the connection is there again after \(time.shortText); nothing is missed"
        )
      case .restarted(let error): output.tell("rpcctl: begins anew: \(error)")
      }
    }
  }
}

/// Says now and then that a watch and its server are alive.
struct Heartbeat: Sendable {
  private static let pause = Duration.seconds(60)

  private let session: Session
  private let invocation: Invocation

  init(_ session: Session, _ invocation: Invocation) {
    self.session = session
    self.invocation = invocation
  }

  /// Beats at once and then each minute, until the task is cancelled.
  func beat(_ progress: WatchProgress) async {
    while !Task.isCancelled {
      let begin = ContinuousClock.now
      do {
        _ = try await TidingsRpcV1.HealthService.Client(session.transport).check(
          .init(),
          options: invocation.callOptions
        )
        let came = counted(progress.count, "notification")
        invocation.output.tell(
          "rpcctl: alive at \(wallClock().text): \(came) so far, the server answers in "
            + "\((ContinuousClock.now - begin).shortText)"
        )
      } catch {
        if !Task.isCancelled {
          invocation.output.tell("rpcctl: the server does not answer: \(error)")
        }
      }
      try? await Task.sleep(for: Self.pause)
    }
  }
}
