internal import Synchronization
internal import TidingsProto

/// Waits for the notifications of records, at one or more subscribers.
final class PushWaiter: Sendable {
  private struct Wait {
    /// Subscribers that have not received it yet.
    var missing: Int
    var continuation: CheckedContinuation<Bool, Never>?
  }

  private let waits = Mutex<[String: Wait]>([:])
  private let subscribers: Int
  private let subscriptionID: String

  init(subscribers: Int, subscriptionID: String) {
    self.subscribers = subscribers
    self.subscriptionID = subscriptionID
  }

  /// Listens as all subscribers, in tasks that end with the body.
  static func with<Value: Sendable>(
    _ sources: [any NotificationSource],
    subscriptionID: String,
    _ body: (PushWaiter) async throws -> Value
  ) async throws -> Value {
    let waiter = PushWaiter(subscribers: sources.count, subscriptionID: subscriptionID)
    let tasks = sources.map { source in
      Task {
        try await source.handOut { notification in
          waiter.take(notification)
          return true
        }
      }
    }
    defer { for task in tasks { task.cancel() } }
    return try await body(waiter)
  }

  /// Registers a record that is about to be saved.
  func expect(_ name: String) { waits.withLock { $0[name] = Wait(missing: subscribers) } }

  /// Waits until all subscribers received the notification of a registered record.
  ///
  /// - Returns: Whether they did; `false` after the timeout, or if the task is cancelled.
  func arrival(of name: String, timeout: Duration) async -> Bool {
    let timer = Task {
      try await Task.sleep(for: timeout)
      giveUp(name)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = waits.withLock { waits in
          guard var wait = waits[name] else { return false }
          if wait.missing <= 0 || Task.isCancelled {
            waits[name] = nil
            return wait.missing <= 0
          }
          wait.continuation = continuation
          waits[name] = wait
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      giveUp(name)
    }
  }

  /// A subscriber received a notification.
  func take(_ notification: TidingsV1.Notification) {
    guard notification.subscriptionID == subscriptionID,
      let name = notification.recordID?.recordName
    else { return }
    let continuation = waits.withLock { waits -> CheckedContinuation<Bool, Never>? in
      guard var wait = waits[name] else { return nil }
      wait.missing -= 1
      let isDone = wait.missing <= 0 && wait.continuation != nil
      waits[name] = isDone ? nil : wait
      return isDone ? wait.continuation : nil
    }
    continuation?.resume(returning: true)
  }

  private func giveUp(_ name: String) {
    let wait = waits.withLock { $0.removeValue(forKey: name) }
    wait?.continuation?.resume(returning: false)
  }
}
