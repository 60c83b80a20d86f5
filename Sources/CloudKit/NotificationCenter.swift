public import Foundation

extension NotificationCenter {
  /// The notifications with a name, as an asynchronous sequence, which Foundation lacks on Linux.
  public func notifications(
    named name: Notification.Name,
    object: (any AnyObject & Sendable)? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// Notifications that are posted while it is iterated.
  public final class Notifications: AsyncSequence, Sendable {
    /// Most notifications that an iteration keeps for its next step; older ones are dropped.
    public static let bufferedCountMax = 100

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: (any AnyObject & Sendable)?

    fileprivate init(
      center: NotificationCenter,
      name: Notification.Name,
      object: (any AnyObject & Sendable)?
    ) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Posted.self,
        bufferingPolicy: .bufferingNewest(Self.bufferedCountMax)
      )
      let observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Posted(notification: $0))
      }
      let observation = Observation(center: center, observer: observer)
      continuation.onTermination = { _ in observation.end() }
      return Iterator(stream: stream.makeAsyncIterator())
    }

    /// Listens until it is released, or its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var stream: AsyncStream<Posted>.AsyncIterator

      /// The next notification; `nil` when the task was cancelled.
      public mutating func next() async -> Notification? {
        await stream.next(isolation: #isolation)?.notification
      }
    }
  }
}

/// A notification on its way from who posts it to who iterates.
private struct Posted: @unchecked Sendable {
  // As on Apple's systems, who posts objects that may not be shared must not change them any more.
  let notification: Notification
}

/// The observer that an iteration added to a center.
private struct Observation: @unchecked Sendable {
  // The observer is an object without state of ours, and centers have locks.
  let center: NotificationCenter
  let observer: any NSObjectProtocol

  func end() { center.removeObserver(observer) }
}
