/// What a server may hold in memory for its clients, and what part of it each thing has.
///
/// The process itself and all shares are the whole of it: whatever a client can make grow has a share, or a number that
/// is small enough for `processBytes`. Pure values: the bounds of queues and tables are asked for here, and nowhere else.
public struct MemoryShares: Hashable, Sendable {
  /// Of the whole process, 2 GiB.
  public static let defaultBytes = 2 << 30
  /// The least with which the shares still are of use: 192 MiB.
  public static let bytesMin = 192 << 20
  /// The process itself, 45 MiB, and what is bounded by small numbers, whatever the memory.
  public static let processBytes = 64 << 20

  /// Of the whole process.
  public let bytes: Int

  /// The shares of a memory, of at least `bytesMin`.
  public init(bytes: Int = defaultBytes) { self.bytes = max(bytes, Self.bytesMin) }

  /// The bytes of a share.
  public subscript(share: MemoryShare) -> Int { part * share.parts }

  /// The largest frame, unless the protocol has a smaller one.
  public var frame: Int { part * 4 }

  /// Requests of calls that are handed to another server and not answered: who hands them on has no store, so what waits for
  /// one has no calls.
  public var forwarded: Int {
    self[.callsPostponed] + self[.callsBehindLong] + self[.readsWaiting] + self[.changeWaits]
  }

  /// How many connections there may be.
  public var connectionsMax: Int { self[.connections] / Self.connectionBytes }

  /// Most entries of a table: more with more memory.
  public func count(of table: MemoryTable) -> Int {
    let usual = Self()[.tables]
    return Int(Double(table.count) * Double(self[.tables]) / Double(usual))
  }

  private var part: Int { (bytes - Self.processBytes) / MemoryShare.partsOfAll }

  // MARK: What an entry takes

  /// A connection: libzmq's queues and buffers, and what the loop keeps of it.
  ///
  /// Measured with an `rpcd` (x86-64, release, 2026-11-28) and 900 connections with keys: 40,054 bytes of one without a call,
  /// 40,846 of one that subscribes.
  public static let connectionBytes = 40 << 10

  /// What libzmq keeps of a topic at most: some 900 bytes of 16 random ones, 2,300 of those that are chosen to need much.
  ///
  /// - Parameter byteCount: The topic's length.
  /// - Returns: Bytes.
  public static func topicCost(_ byteCount: Int) -> Int { 1_792 + 34 * byteCount }

  /// Estimates from above what subscriptions, or channels, take.
  ///
  /// Measured with an `rpcd` (x86-64, release, 2026-11-28): 651 bytes for `a = 1`, 6 bytes for each byte of a long text,
  /// 12 for an OR of comparisons, 19 for the values of an IN, 24 for the words of a CONTAINS.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - bytes: The bytes of all, as they are stored.
  /// - Returns: Bytes.
  public static func subscriptionCost(count: Int, bytes: Int) -> Int { 512 * count + 24 * bytes }

  /// What credentials of callers on the web take.
  ///
  /// Measured with an `rpcd` (x86-64, release, 2026-11-28): 1,507 bytes of a session.
  public static func webTokenCost(count: Int) -> Int { 1_600 * count }

  /// What a schema takes.
  ///
  /// - Parameters:
  ///   - count: How many types, fields, grants and users of types it has.
  ///   - nameBytes: Their names together.
  /// - Returns: Bytes.
  public static func schemaCost(count: Int, nameBytes: Int) -> Int {
    1_024 + 256 * count + nameBytes
  }
}
