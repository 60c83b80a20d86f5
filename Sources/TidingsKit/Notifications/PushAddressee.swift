internal import Foundation
internal import Synchronization
internal import TidingsJSON

/// The recipient of pushes, and its queue.
final class PushAddressee: @unchecked Sendable {
  // Nothing of it changes after `init`; a weak reference may be read anywhere.

  private weak var delegate: (any CKRemoteNotificationDelegate)?
  private let retained: (any CKRemoteNotificationDelegate)?
  private let container: CKContainer
  private let queue = DispatchQueue(label: "tidings.push")

  init(
    _ delegate: any CKRemoteNotificationDelegate,
    of container: CKContainer,
    retaining retained: (any CKRemoteNotificationDelegate)? = nil
  ) {
    self.delegate = delegate
    self.container = container
    self.retained = retained
  }

  /// Hands a push over and waits for its handler.
  ///
  /// - Returns: Whether it was handled: not when the delegate is gone, or the task was cancelled.
  func hand(_ push: JSONValue) async -> Bool {
    let receipt = PushReceipt()
    queue.async { [self] in
      guard receipt.isOpen, let delegate, let push = push.object else {
        receipt.close(isHandled: false)
        return
      }
      var userInfo: [AnyHashable: Any] = [:]
      for member in push.members { userInfo[member.name] = member.value.foundationObject }
      let holder = PushReceipt.Holder(receipt)
      delegate.container(container, didReceiveRemoteNotification: userInfo) { _ in
        holder.close()
      }
    }
    return await receipt.wait()
  }

  /// Reports something else, after the pushes before it.
  func tell(
    _ body: @escaping @Sendable (any CKRemoteNotificationDelegate, CKContainer) -> Void
  ) {
    queue.async { [self] in
      if let delegate { body(delegate, container) }
    }
  }
}

/// Whether a push was handled.
final class PushReceipt: Sendable {
  private struct State {
    var isHandled: Bool?
    var waiting: CheckedContinuation<Bool, Never>?
  }

  /// What a handler holds: when it is dropped without being called, nobody will.
  final class Holder: Sendable {
    private let receipt: PushReceipt

    init(_ receipt: PushReceipt) { self.receipt = receipt }
    deinit { close() }
    func close() { receipt.close(isHandled: true) }
  }

  private let state = Mutex(State())

  var isOpen: Bool { state.withLock { $0.isHandled == nil } }

  /// The first call counts.
  func close(isHandled: Bool) {
    let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard state.isHandled == nil else { return nil }
      state.isHandled = isHandled
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: isHandled)
  }

  /// Waits for one task, until it is closed or the task cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isHandled = state.withLock { state -> Bool? in
          if state.isHandled == nil { state.waiting = continuation }
          return state.isHandled
        }
        if let isHandled { continuation.resume(returning: isHandled) }
      }
    } onCancel: {
      close(isHandled: false)
    }
  }
}
