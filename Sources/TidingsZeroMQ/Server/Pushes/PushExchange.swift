internal import Synchronization
internal import TidingsThreads

/// What passes between the loop and the thread that has the socket for pushes; both directions are bounded.
///
/// Pushes are bounded by bytes: with more, the thread is busy for long, and those that follow are not sent. Notes of
/// subscriptions are bounded by their number: with more, the thread leaves its socket alone until the loop, which may have
/// to end a connection because of them, has taken them.
final class PushExchange: Sendable {
  /// What the thread is to do.
  enum Order: Sendable {
    case publish([Push], byteCount: Int)
    /// Ends the thread.
    case stop
  }

  /// Most notes that wait for the loop while the thread goes on.
  private static let notesMax = 1_024

  private let bytesMax: Int
  private let bytesWaiting = Atomic(0)
  private let orders = Mailbox<Order>()
  private let notes = Mailbox<SubscriptionNote>()
  private let room = WakeUpEvent()

  /// - Parameter bytesMax: Of pushes that wait, before others are added.
  init(bytesMax: Int) { self.bytesMax = bytesMax }

  // MARK: The loop's side

  /// Readable while there are notes; to be polled.
  var notesDescriptor: CInt { notes.descriptor }

  /// Whether there is room for more pushes, besides so many bytes that are about to be handed over.
  func hasRoom(besides byteCount: Int) -> Bool {
    bytesWaiting.load(ordering: .relaxed) + byteCount < bytesMax
  }

  /// Hands over pushes, of so many bytes together.
  ///
  /// - Returns: `false` when there is no room for them.
  func publish(_ pushes: [Push], byteCount: Int) -> Bool {
    guard hasRoom(besides: 0) else { return false }
    bytesWaiting.add(byteCount, ordering: .relaxed)
    orders.send(.publish(pushes, byteCount: byteCount))
    return true
  }

  /// Takes the notes of what subscribers asked for.
  func takeNotes() -> [SubscriptionNote] {
    let taken = notes.drain()
    if taken.count >= Self.notesMax { room.signal() }
    return taken
  }

  /// Lets the thread end when it has sent what was handed over.
  func stop() {
    orders.send(.stop)
    _ = notes.close()
    room.signal()
  }

  // MARK: The thread's side

  /// Readable while there are orders; to be polled.
  var ordersDescriptor: CInt { orders.descriptor }

  func takeOrders() -> [Order] { orders.drain() }

  /// Pushes of so many bytes were sent.
  func sent(_ byteCount: Int) { bytesWaiting.subtract(byteCount, ordering: .relaxed) }

  func note(_ note: SubscriptionNote) { notes.send(note) }

  /// Returns when there is room for more notes.
  func waitForRoom() {
    while notes.count >= Self.notesMax {
      wait(for: room.descriptor)
      room.clear()
    }
  }
}
