internal import Synchronization
internal import TidingsZeroMQ

/// Informs those who listen to pushes that the client calls another node, which may publish elsewhere.
final class ConnectionMoves: Sendable {
  private struct Listener {
    weak var pushes: SubscriberConnection?
  }

  private struct State {
    var count = 0
    var listeners: [Listener] = []
    var observers: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  /// How often the client has moved.
  var count: Int { state.withLock(\.count) }

  /// The client calls another node.
  func moved() {
    let (listeners, observers) = state.withLock { state in
      state.count += 1
      state.listeners.removeAll { $0.pushes == nil }
      return (state.listeners, state.observers)
    }
    for listener in listeners { listener.pushes?.tick() }
    for observer in observers { observer() }
  }

  /// Makes a connection for pushes deliver a tick whenever the client moves, so that its owner registers again.
  ///
  /// - Parameters:
  ///   - pushes: Referred to weakly.
  ///   - count: How often the client had moved when it asked where pushes are; if it has since, the first tick
  ///     comes at once.
  func report(to pushes: SubscriberConnection, since count: Int) {
    let hasMoved = state.withLock { state in
      state.listeners.removeAll { $0.pushes == nil }
      state.listeners.append(Listener(pushes: pushes))
      return state.count != count
    }
    if hasMoved { pushes.tick() }
  }

  /// Calls a closure whenever the client has moved, on the thread of its connection.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    state.withLock { $0.observers.append(observer) }
  }
}
