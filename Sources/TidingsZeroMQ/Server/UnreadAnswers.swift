internal import Synchronization

/// Bytes of large answers that libzmq has, because their clients do not read them.
///
/// libzmq bounds a connection's queue by messages only, and thousands of large ones are more memory
/// than there is. It tells when it has sent a frame that is ours, so these are counted.
struct UnreadAnswers {
  /// The bytes of a connection, or of all.
  ///
  /// Rises on the loop's thread, falls on libzmq's.
  final class Count: Sendable {
    private let bytes = Atomic<Int>(0)
    private let total: Count?

    init(partOf total: Count? = nil) { self.total = total }

    var value: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) {
      bytes.add(count, ordering: .relaxed)
      total?.add(count)
    }
  }

  /// Answers with fewer bytes are not counted: a connection's queue is 80 MB of them at most.
  static let countedBytesMin = 8 << 10
  /// Bytes after which a connection's next answers wait in the backlog.
  static let bytesPerConnectionMax = 64 << 20
  /// Bytes of all connections together after which those that have some wait.
  static let bytesMax = 512 << 20
  /// Connections of which is remembered that they have nothing unread.
  private static let countsMax = 1024

  private var counts: [ConnectionNumber?: Count] = [:]
  private let total = Count()

  /// Whether an answer may be given to libzmq.
  func hasRoom(for byteCount: Int, to envelope: Envelope) -> Bool {
    guard byteCount >= Self.countedBytesMin, let unread = counts[envelope.connection]?.value,
      unread > 0
    else { return true }
    return unread + byteCount <= Self.bytesPerConnectionMax
      && total.value + byteCount <= Self.bytesMax
  }

  /// A connection has ended: what libzmq still has of it is counted in the total alone.
  mutating func remove(_ connection: ConnectionNumber) { counts[connection] = nil }

  /// The count of a connection; `nil` for answers that are not counted.
  mutating func count(for byteCount: Int, to envelope: Envelope) -> Count? {
    guard byteCount >= Self.countedBytesMin else { return nil }
    if let count = counts[envelope.connection] { return count }
    // What libzmq drops with a connection is sent, too: its count falls to nothing.
    if counts.count >= Self.countsMax { counts = counts.filter { $0.value.value > 0 } }
    let count = Count(partOf: total)
    counts[envelope.connection] = count
    return count
  }
}
