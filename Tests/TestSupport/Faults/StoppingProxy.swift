internal import Foundation

/// Stands between a client and a server, and passes only as many bytes on as it may.
///
/// What the client does through it is unfinished then, however fast the machine is.
public final class StoppingProxy: Sendable {
  /// How many bytes have passed, and how many may.
  private final class Allowance: @unchecked Sendable {
    // Unchecked: read and changed only with the condition locked.
    private let condition = NSCondition()
    private var (passed, allowed) = (0, 0)
    private var isEnded = false

    var isUsedUp: Bool { condition.withLock { passed == allowed } }

    func add(_ count: Int) {
      condition.withLock { allowed += count }
      condition.broadcast()
    }

    func end() {
      condition.withLock { isEnded = true }
      condition.broadcast()
    }

    /// Waits until bytes may pass.
    ///
    /// - Returns: How many, at most `count`; `nil`: the proxy is gone.
    func take(_ count: Int) -> Int? {
      condition.withLock {
        while passed == allowed, !isEnded { condition.wait() }
        guard !isEnded else { return nil }
        let taken = min(count, allowed - passed)
        passed += taken
        return taken
      }
    }
  }

  /// The port of 127.0.0.1 where clients connect.
  public var port: UInt16 { listener.port }
  private let listener: ProxyListener
  private let allowance = Allowance()

  /// Passes nothing on yet.
  ///
  /// - Parameter target: A port of this machine.
  /// - Throws: `WaitingFailure` when no port is left.
  public init(to target: UInt16) throws {
    listener = try ProxyListener()
    listener.accept { [weak self] client in
      guard let self else { return false }
      self.serve(client, target)
      return true
    }
  }

  deinit { end() }

  /// So many bytes more may pass, of all connections and both directions.
  public func allow(_ count: Int) { allowance.add(count) }

  /// All bytes that may pass have passed.
  public var isStopping: Bool { allowance.isUsedUp }

  /// Ends all connections.
  public func end() { allowance.end() }

  private func serve(_ client: Int32, _ target: UInt16) {
    guard let server = ProxyListener.connect(to: target) else {
      close(client)
      return
    }
    let connection = ProxiedConnection(client: client, server: server)
    for (from, to) in [(client, server), (server, client)] {
      Thread.detachNewThread { [allowance] in
        var buffer = [UInt8](repeating: 0, count: 65_536)
        receiving: while true {
          var rest = ProxiedConnection.receive(from: from, into: &buffer)
          guard !rest.isEmpty else { break }
          while !rest.isEmpty {
            guard let count = allowance.take(rest.count),
              ProxiedConnection.send(rest.prefix(count), to: to)
            else { break receiving }
            rest = rest.dropFirst(count)
          }
        }
        connection.cut()
      }
    }
  }
}
