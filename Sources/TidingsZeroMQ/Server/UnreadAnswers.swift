internal import Synchronization
internal import TidingsRPC

/// Bytes that are held for clients that have not read them: in libzmq's queues and in the backlog.
///
/// libzmq bounds a connection's queue by messages only, and thousands of large ones are more memory than
/// there is. It reports when it has sent or dropped a frame that is ours, so one frame of each portion
/// of answers is, and stands for all of them: they are sent in order.
struct UnreadAnswers {
  /// The bytes of a connection, of a user or of all.
  ///
  /// Rises on the loop's thread, falls on libzmq's.
  final class Count: Sendable {
    private let bytes = Atomic<Int>(0)
    fileprivate let total: Count?

    init(partOf total: Count? = nil) { self.total = total }

    var value: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) {
      bytes.add(count, ordering: .relaxed)
      total?.add(count)
    }
  }

  /// Bytes of a connection's answers of which one frame is counted for all.
  struct Portion {
    let count: Count
    let bytes: Int
  }

  /// Whether a further answer may be kept.
  enum Room: Equatable {
    case free
    /// The connection that holds the most must end: of all, or of a user.
    case exceeded(ConnectionNumber)
  }

  private final class Account {
    let count: Count
    /// Given to libzmq, and not yet counted.
    var uncounted = 0
    /// In the backlog.
    var waiting = 0
    /// The connection is being ended.
    var isEnding = false

    init(_ count: Count) { self.count = count }

    var bytes: Int { count.value + uncounted }
    var bytesInLibzmq: Int { bytes - waiting }
  }

  /// Answers are counted in portions of so many bytes.
  static let portionBytes = 8 << 10
  /// What an answer takes besides its body.
  static let overheadBytes = 256
  /// Bytes in libzmq after which a connection's next answers wait in the backlog.
  static let bytesInLibzmqMax = 64 << 20
  /// Bytes of a connection, of a user's connections and of all connections, after which one is ended.
  static let bytesPerConnectionMax = 128 << 20
  static let bytesPerUserMax = 256 << 20
  static let bytesMax = 512 << 20
  private static let usersKeptMax = 1024

  private var accounts: [ConnectionNumber: Account] = [:]
  private var users: [CallerKey: Count] = [:]
  private var ending: [Count] = []
  private let total = Count()

  /// Whether a connection is being ended: nothing more is sent to it.
  func isEnding(_ connection: ConnectionNumber) -> Bool {
    !ending.isEmpty && accounts[connection]?.isEnding == true
  }

  /// Bytes that are held for a connection.
  func bytes(of connection: ConnectionNumber) -> Int { max(0, accounts[connection]?.bytes ?? 0) }

  /// Whether libzmq may be given an answer.
  func hasRoomInLibzmq(for byteCount: Int, to connection: ConnectionNumber) -> Bool {
    guard byteCount >= Self.portionBytes, let held = accounts[connection]?.bytesInLibzmq, held > 0
    else { return true }
    return held + byteCount <= Self.bytesInLibzmqMax
  }

  /// Whether an answer may be held, wherever; asked for large ones, and for those that wait.
  mutating func room(
    for byteCount: Int,
    to connection: ConnectionNumber,
    of caller: CallerKey?
  ) -> Room {
    let account = account(connection, caller)
    if account.bytes + byteCount > Self.bytesPerConnectionMax, account.bytes > 0 {
      return .exceeded(connection)
    }
    if let user = account.count.total, user !== total,
      user.value - endingBytes(of: user) + byteCount > Self.bytesPerUserMax,
      let largest = largest(of: user)
    {
      return .exceeded(largest)
    }
    if total.value - endingBytes(of: nil) + byteCount > Self.bytesMax, let largest = largest() {
      return .exceeded(largest)
    }
    return .free
  }

  /// Counts an answer that libzmq is given.
  ///
  /// - Returns: What its frame has to count; `nil`: the next one counts it too.
  mutating func portion(
    for byteCount: Int,
    to connection: ConnectionNumber,
    of caller: @autoclosure () -> CallerKey?
  ) -> Portion? {
    let account = accounts[connection] ?? account(connection, caller())
    account.uncounted += byteCount + Self.overheadBytes
    guard account.uncounted >= Self.portionBytes else { return nil }
    defer { account.uncounted = 0 }
    return Portion(count: account.count, bytes: account.uncounted)
  }

  /// An answer waits in the backlog; negative: it no longer does.
  mutating func waits(_ byteCount: Int, on connection: ConnectionNumber) {
    guard let account = accounts[connection] else { return }
    account.waiting += byteCount
    account.count.add(byteCount)
  }

  /// A connection is being ended: its backlog is gone, and libzmq gives back soon what it has.
  mutating func ends(_ connection: ConnectionNumber) {
    guard let account = accounts[connection], !account.isEnding else { return }
    account.count.add(-account.waiting)
    account.waiting = 0
    account.isEnding = true
    ending.append(account.count)
  }

  /// A connection has ended.
  mutating func remove(_ connection: ConnectionNumber) {
    ends(connection)
    accounts[connection] = nil
    ending.removeAll { $0.value <= 0 }
    if users.count > Self.usersKeptMax { users = users.filter { $0.value.value > 0 } }
  }

  /// The largest of all connections, or of a user's, that is not being ended.
  private func largest(of user: Count? = nil) -> ConnectionNumber? {
    accounts.filter { !$0.value.isEnding && (user == nil || $0.value.count.total === user) }
      .max { $0.value.bytes < $1.value.bytes }?.key
  }

  private func endingBytes(of user: Count?) -> Int {
    ending.reduce(0) { $0 + (user == nil || $1.total === user ? max($1.value, 0) : 0) }
  }

  private mutating func account(
    _ connection: ConnectionNumber,
    _ caller: CallerKey?
  ) -> Account {
    if let account = accounts[connection] { return account }
    var parent = total
    if let caller {
      parent = users[caller] ?? Count(partOf: total)
      users[caller] = parent
    }
    let account = Account(Count(partOf: parent))
    accounts[connection] = account
    return account
  }
}
