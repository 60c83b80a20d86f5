internal import Synchronization

/// Values for one loop thread, with a descriptor to put in its poll set.
package final class Mailbox<Element: Sendable>: Sendable {
  private let pending = Mutex((queue: [Element](), isClosed: false))
  private let countMax: Int
  private let event = WakeUpEvent()

  /// Readable while there is something to take; to be polled.
  package var descriptor: CInt { event.descriptor }

  /// A mailbox that holds at most `countMax` values; by default whatever is sent, for senders that
  /// are bounded otherwise.
  package init(countMax: Int = .max) { self.countMax = countMax }

  /// Hands a value over; wakes the loop if the mailbox was empty.
  ///
  /// The descriptor is written and read under the lock: it is readable exactly while there is
  /// something to take, so that no wake-up is lost and none comes for nothing.
  ///
  /// - Returns: `false` when the mailbox is full or closed; the value was not taken.
  @discardableResult
  package func send(_ element: Element) -> Bool {
    pending.withLock { pending in
      guard pending.queue.count < countMax, !pending.isClosed else { return false }
      pending.queue.append(element)
      if pending.queue.count == 1 { event.signal() }
      return true
    }
  }

  /// How many values wait.
  package var count: Int { pending.withLock { $0.queue.count } }

  /// Takes everything.
  package func drain() -> [Element] {
    pending.withLock { pending in
      if pending.queue.isEmpty { return [] }
      event.clear()
      defer { pending.queue = [] }
      return pending.queue
    }
  }

  /// Takes everything, and lets nothing in any more.
  package func close() -> [Element] {
    pending.withLock { pending in
      pending.isClosed = true
      defer { pending.queue = [] }
      return pending.queue
    }
  }
}
