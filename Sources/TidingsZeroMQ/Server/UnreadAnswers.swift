internal import Synchronization
internal import TidingsMemory
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

  /// What is held for a connection.
  ///
  /// Unchecked: plain values, on the loop's thread.
  final class Account {
    fileprivate let connection: ConnectionNumber
    fileprivate let count: Count
    /// Given to libzmq, and not yet counted.
    @exclusivity(unchecked) private var uncounted = 0
    /// In the backlog.
    @exclusivity(unchecked) fileprivate var waiting = 0
    /// The connection is being ended: nothing more is sent to it.
    @exclusivity(unchecked) fileprivate(set) var isEnding = false

    private let bytesInLibzmqMax: Int

    fileprivate init(_ connection: ConnectionNumber, _ count: Count, bytesInLibzmqMax: Int) {
      (self.connection, self.count) = (connection, count)
      self.bytesInLibzmqMax = bytesInLibzmqMax
    }

    /// All bytes that are held.
    var bytes: Int { max(0, held) }

    fileprivate var held: Int { count.value + uncounted }

    /// Whether libzmq may be given an answer.
    func hasRoomInLibzmq(for byteCount: Int) -> Bool {
      guard byteCount >= UnreadAnswers.portionBytes else { return true }
      // What is not counted yet may be gone: it must not keep a large answer waiting forever.
      let inLibzmq = count.value - waiting
      return inLibzmq <= 0 || inLibzmq + uncounted + byteCount <= bytesInLibzmqMax
    }

    /// Counts an answer that libzmq is given.
    ///
    /// - Returns: What its frame has to count; `nil`: the next one counts it too.
    func portion(for byteCount: Int) -> Portion? {
      uncounted += byteCount + UnreadAnswers.overheadBytes
      guard uncounted >= UnreadAnswers.portionBytes else { return nil }
      defer { uncounted = 0 }
      return Portion(count: count, bytes: uncounted)
    }

    /// An answer waits in the backlog; negative: it no longer does.
    func waits(_ byteCount: Int) {
      waiting += byteCount
      count.add(byteCount)
    }
  }

  /// Answers are counted in portions of so many bytes.
  static let portionBytes = 8 << 10
  /// What an answer takes besides its body.
  static let overheadBytes = 256
  private static let usersKeptMax = 1024

  /// Bytes in libzmq after which a connection's next answers wait in the backlog; bytes of a connection, of a user's
  /// connections and of all connections, after which one is ended.
  private let memory: MemoryShares
  private var accounts: [ConnectionNumber: Account] = [:]
  private var users: [CallerKey: Count] = [:]
  private var ending: [Count] = []
  private let total = Count()

  init(_ memory: MemoryShares) { self.memory = memory }

  /// What is held for a connection from its first answer on.
  ///
  /// - Parameters:
  ///   - connection: One that is open.
  ///   - caller: For whom it counts; `nil`: for nobody.
  /// - Returns: The same until the connection has ended.
  mutating func account(of connection: ConnectionNumber, for caller: CallerKey?) -> Account {
    if let account = accounts[connection] { return account }
    var parent = total
    if let caller {
      parent = users[caller] ?? Count(partOf: total)
      users[caller] = parent
    }
    let account = Account(
      connection,
      Count(partOf: parent),
      bytesInLibzmqMax: memory[.unreadAnswersInLibzmq]
    )
    accounts[connection] = account
    return account
  }

  /// Whether an answer may be held, wherever; asked for large ones, and for those that wait.
  func room(for byteCount: Int, in account: Account) -> Room {
    if account.held + byteCount > memory[.unreadAnswersPerConnection], account.count.value > 0 {
      return .exceeded(account.connection)
    }
    if let user = account.count.total, user !== total,
      user.value - endingBytes(of: user) + byteCount > memory[.unreadAnswersPerUser],
      let largest = largest(of: user)
    {
      return .exceeded(largest)
    }
    if total.value - endingBytes(of: nil) + byteCount > memory[.unreadAnswers],
      let largest = largest()
    {
      return .exceeded(largest)
    }
    return .free
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
      .max { $0.value.held < $1.value.held }?.key
  }

  private func endingBytes(of user: Count?) -> Int {
    ending.reduce(0) { $0 + (user == nil || $1.total === user ? max($1.value, 0) : 0) }
  }
}
