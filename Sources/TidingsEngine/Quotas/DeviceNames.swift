internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// The names that the devices of users gave: so many of one user, and no more.
///
/// A name stays in what its device did, and in what it fetched, for as long as that is kept.
final class DeviceNames: TransactionParticipant {
  private struct Key: Hashable {
    let user: String
    let device: String
  }

  private static let millisecondsPerDay: Int64 = 86_400_000
  /// Most names that are remembered; others are looked up.
  private let knownMax: Int

  private let limits: Limits
  private let select: any SQLStatement
  private let count: any SQLStatement
  private let upsert: any SQLStatement
  private let delete: any SQLStatement
  private let list: any SQLStatement
  /// Names, and the day on which their devices were noted to write.
  private var known: [Key: Int64] = [:] { didSet { last = nil } }
  /// The one that was admitted last: one after the other, calls often come from one device.
  private var last: (caller: Caller, day: Int64)?

  init(_ connection: any SQLConnection, limits: Limits) throws {
    self.limits = limits
    knownMax = limits.memory.count(of: .devices)
    select = try connection.prepare("SELECT seen FROM devices WHERE owner = ?1 AND name = ?2")
    count = try connection.prepare("SELECT count(*) FROM devices WHERE owner = ?1")
    upsert = try connection.prepare(
      """
      INSERT INTO devices (owner, name, seen) VALUES (?1, ?2, ?3)
      ON CONFLICT (owner, name) DO UPDATE SET seen = excluded.seen
      """
    )
    delete = try connection.prepare(
      """
      DELETE FROM devices WHERE (owner, name) IN
        (SELECT owner, name FROM devices WHERE seen < ?1 LIMIT ?2)
      RETURNING owner, name
      """
    )
    list = try connection.prepare(
      "SELECT name, seen FROM devices WHERE owner = ?1 AND name > ?2 ORDER BY name LIMIT ?3"
    )
  }

  /// The names of a user's devices that are remembered, sorted, with the day of their last write.
  func names(
    of user: String,
    after name: String,
    limit: Int
  ) throws -> [(name: String, lastWrite: Timestamp)] {
    list.bind(user, at: 1)
    list.bind(name, at: 2)
    list.bind(Int64(limit), at: 3)
    var names: [(name: String, lastWrite: Timestamp)] = []
    try list.forEachRow {
      names.append((list.string(0), Timestamp(millisecondsSince1970: list.int64(1))))
    }
    return names
  }

  /// Whether there is room for the name of a caller's device, which is noted then.
  func admits(_ caller: Caller, at time: SteadyTime) throws -> Bool {
    guard !caller.user.isEmpty, !caller.device.isEmpty else { return true }
    let day = time.milliseconds / Self.millisecondsPerDay
    if let last, last.day == day, last.caller == caller { return true }
    let key = Key(user: caller.user, device: caller.device)
    if known[key] == day {
      last = (caller, day)
      return true
    }
    guard try isStored(key) || storedCount(of: caller.user) < limits.devicesPerUserMax else {
      return false
    }
    bind(key, to: upsert)
    upsert.bind(day * Self.millisecondsPerDay, at: 3)
    try upsert.run()
    if known.count >= knownMax { known.removeAll(keepingCapacity: true) }
    known[key] = day
    return true
  }

  /// Refuses a caller whose device is one too many.
  ///
  /// - Throws: `ItemError` `limitExceeded`; `SQLError`.
  func check(_ caller: Caller, at time: SteadyTime) throws {
    guard try !admits(caller, at: time) else { return }
    throw ItemError(
      .limitExceeded,
      "the metadata 'tidings-device' names one device too many: user '\(caller.user)' has "
        + "\(limits.devicesPerUserMax) device names, which are remembered for "
        + "\(limits.tombstoneRetention.shown) after their last write: use one of them"
    )
  }

  func reload() { known.removeAll(keepingCapacity: true) }

  private func isStored(_ key: Key) throws(SQLError) -> Bool {
    bind(key, to: select)
    defer { select.reset() }
    return try select.step()
  }

  private func storedCount(of user: String) throws(SQLError) -> Int64 {
    count.bind(user, at: 1)
    defer { count.reset() }
    return try count.step() ? count.int64(0) : 0
  }

  private func bind(_ key: Key, to statement: any SQLStatement) {
    statement.bind(key.user, at: 1)
    statement.bind(key.device, at: 2)
  }
}

extension DeviceNames: MaintenanceTask {
  private static let pause = Duration.seconds(3_600)
  private static let rowsPerPiece: Int64 = 500

  /// Forgets the names of devices that have not written for long.
  func work(at moment: Moment) throws -> Duration {
    let days = max(1, limits.tombstoneRetentionDays)
    delete.bind(moment.steady.earlier(byHours: days * 24).milliseconds, at: 1)
    delete.bind(Self.rowsPerPiece, at: 2)
    var rows: Int64 = 0
    try delete.forEachRow {
      known[Key(user: delete.string(0), device: delete.string(1))] = nil
      rows += 1
    }
    return rows == Self.rowsPerPiece ? .zero : Self.pause
  }
}
