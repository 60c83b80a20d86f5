internal import Synchronization
internal import TidingsRPC

/// Waits for the connection, and says why from the second second on.
final class ConnectionWait: Sendable {
  /// How long it is silent about the same reason.
  private static let silence = Duration.seconds(1)

  private let session: Session
  private let output: Output
  /// The reason that was said last; `nil`: none.
  private let said = Mutex<String?>(nil)

  init(_ session: Session, _ output: Output) { (self.session, self.output) = (session, output) }

  /// Waits until there is a connection.
  ///
  /// - Parameter patience: How long; `nil`: without a limit.
  /// - Throws: `unavailable` with the reason; at once what waiting does not change.
  func end(within patience: Duration?) async throws(RPCError) {
    let begin = ContinuousClock.now
    while true {
      let left = patience.map { max(.zero, $0 - begin.duration(to: .now)) } ?? .seconds(3600)
      do throws(RPCError) {
        try await session.connected(min(left, Self.silence))
        return noteConnection()
      } catch {
        guard error.code == .unavailable, left > Self.silence else { throw error }
        note(error)
      }
    }
  }

  private func note(_ error: RPCError) {
    let isNew = said.withLock { said in
      defer { said = error.message }
      return said != error.message
    }
    if isNew { output.log("rpcctl: waiting for a connection: \(error.message)") }
  }

  private func noteConnection() {
    if said.withLock({ $0.take() }) != nil { output.log("rpcctl: connected") }
  }
}
