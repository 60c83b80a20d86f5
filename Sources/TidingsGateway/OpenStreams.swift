internal import Synchronization

/// How many event streams and polls are open.
final class OpenStreams: Sendable {
  private let count = Mutex(0)
  private let countMax: Int

  init(atMost countMax: Int) { self.countMax = countMax }

  /// How many are open now.
  var openCount: Int { count.withLock { $0 } }

  /// Holds an entry until it is gone.
  final class Entry: Sendable {
    private let streams: OpenStreams

    fileprivate init(_ streams: OpenStreams) { self.streams = streams }

    deinit { streams.count.withLock { $0 -= 1 } }
  }

  /// An entry for one more; `nil`: there are too many.
  func open() -> Entry? {
    let hasRoom = count.withLock { count in
      guard count < countMax else { return false }
      count += 1
      return true
    }
    return hasRoom ? Entry(self) : nil
  }
}
