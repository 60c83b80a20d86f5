internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

/// Whether a server and its services can be called, for `HealthService` to report.
///
/// May be changed from any thread. A service that is not mentioned shares the server's state.
public final class HealthState: Sendable {
  private struct State {
    var isServing = true
    var exceptions: [String: Bool] = [:]
    var services: Set<String> = []
    var hasEnded = false
    /// Counts the changes, so that none is missed between two looks.
    var version = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var nextTicket = 0

    func status(of service: String) -> TidingsRpcV1.ServingStatus {
      if service.isEmpty { return isServing ? .serving : .notServing }
      guard services.contains(service) else { return .serviceUnknown }
      return isServing && exceptions[service] ?? true ? .serving : .notServing
    }
  }

  /// What a watcher needs to know.
  struct Snapshot {
    let status: TidingsRpcV1.ServingStatus
    /// The server stops; nothing changes any more.
    let isFinal: Bool
    let version: Int
  }

  private let state = Mutex(State())

  /// A server that serves.
  public init() {}

  /// Whether the server as a whole can be called.
  public var isServing: Bool { state.withLock { $0.isServing } }

  /// Says whether the server as a whole can be called.
  public func setServing(_ isServing: Bool) {
    change { $0.isServing = isServing }
  }

  /// Says whether one service can be called.
  public func setServing(_ isServing: Bool, service: String) {
    change {
      $0.services.insert(service)
      $0.exceptions[service] = isServing
    }
  }

  /// The server has a service.
  func know(_ service: String) {
    change { $0.services.insert(service) }
  }

  /// The server stops: nothing can be called, and those who watch are let go.
  func end() {
    change {
      $0.isServing = false
      $0.exceptions = [:]
      $0.hasEnded = true
    }
  }

  /// The state of a service; "" is the server as a whole.
  func snapshot(of service: String) -> Snapshot {
    state.withLock { state in
      Snapshot(
        status: state.status(of: service),
        isFinal: state.hasEnded,
        version: state.version
      )
    }
  }

  /// Waits until something is other than it was in a version; returns at once when cancelled.
  func change(after version: Int) async {
    let ticket = state.withLock { state in
      state.nextTicket += 1
      return state.nextTicket
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.version != version || Task.isCancelled { return true }
          state.waiting.append((ticket, continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      continuation?.resume()
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiting = state.withLock { state in
      body(&state)
      state.version += 1
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.continuation.resume() }
  }
}
