internal import Synchronization

/// Carries elements from a loop thread to one consuming task, bounded.
package final class DeliveryBuffer<Element: Sendable>: Sendable {
  /// What the consumer gets: an element, the end, or why it failed.
  package typealias Delivery = Result<Element?, RPCError>

  private struct State {
    var queue: [Element] = []
    var head = 0
    var end: RPCError??
    var consumer: CheckedContinuation<Delivery, Never>?

    mutating func takeReady() -> Delivery? {
      if head < queue.count {
        let element = queue[head]
        head += 1
        if head == queue.count {
          queue.removeAll(keepingCapacity: true)
          head = 0
        } else if head >= 64, head * 2 >= queue.count {
          queue.removeFirst(head)
          head = 0
        }
        return .success(element)
      }
      guard let end else { return nil }
      return end.map { .failure($0) } ?? .success(nil)
    }
  }

  private let state = Mutex(State())
  private let countMax: Int

  /// A buffer that holds at most `countMax` elements.
  package init(countMax: Int) { self.countMax = countMax }

  /// Adds an element.
  ///
  /// - Returns: `false` when the buffer is full; the element was not added. `true` after the end,
  ///   where nobody wants it.
  package func push(_ element: Element) -> Bool {
    let (accepted, consumer) = state.withLock {
      state -> (Bool, CheckedContinuation<Delivery, Never>?) in
      if state.end != nil { return (true, nil) }
      if let consumer = state.consumer {
        state.consumer = nil
        return (true, consumer)
      }
      if state.queue.count - state.head >= countMax { return (false, nil) }
      state.queue.append(element)
      return (true, nil)
    }
    consumer?.resume(returning: .success(element))
    return accepted
  }

  /// Adds an element, or, when the buffer is full, sums up what is lost in one last element.
  ///
  /// - Parameters:
  ///   - element: What to add.
  ///   - sum: Makes the last element from the one that sums up earlier losses, if any.
  package func push(_ element: Element, summingUpLosses sum: (Element?) -> Element) {
    if push(element) { return }
    state.withLock { state in
      let last = state.queue.count - 1
      if state.queue.count - state.head == countMax {
        state.queue.append(sum(nil))
      } else if last >= state.head {
        state.queue[last] = sum(state.queue[last])
      }
    }
  }

  /// Ends the delivery after what is already buffered.
  ///
  /// - Returns: Whether this was the first end.
  @discardableResult
  package func finish(_ error: RPCError?, discardingBuffered: Bool = false) -> Bool {
    let (first, consumer) = state.withLock {
      state -> (Bool, CheckedContinuation<Delivery, Never>?) in
      if discardingBuffered {
        state.queue = []
        state.head = 0
      }
      if state.end != nil { return (false, nil) }
      state.end = .some(error)
      defer { state.consumer = nil }
      return (true, state.consumer)
    }
    consumer?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    return first
  }

  /// Lets the consumer, which was cancelled, go without an element.
  package func interrupt() {
    let consumer = state.withLock { state in
      defer { state.consumer = nil }
      return state.consumer
    }
    consumer?.resume(returning: .success(nil))
  }

  /// Waits for the next element; one consumer at a time.
  ///
  /// - Parameter cancelled: What a cancelled task gets when nothing is there.
  /// - Returns: The element, the end, or why the delivery failed.
  package func next(whenCancelled cancelled: Delivery = .success(nil)) async -> Delivery {
    if let ready = state.withLock({ $0.takeReady() }) { return ready }
    return await withCheckedContinuation { continuation in
      let ready = state.withLock { state -> Delivery? in
        if let ready = state.takeReady() { return ready }
        if Task.isCancelled { return cancelled }
        precondition(state.consumer == nil, "two tasks iterate over one sequence")
        state.consumer = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
