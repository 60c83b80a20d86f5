internal import TidingsModel
internal import TidingsSQL

/// Notes which device had which notifications in pages of the log, for those who trace one.
///
/// What is noted is kept in memory and written a little later, so that no page waits for it; a crash
/// loses the last second.
final class FetchLog {
  /// Most notes that wait: more are forgotten.
  private static let pendingMax = 10_000
  /// Most notes written at once.
  private static let writesMax = 300
  /// Most notes that are looked at for one notification: a user may name any number of devices.
  private static let readsMax: Int64 = 1_000
  /// How long notes wait to be written together.
  static let pause = Duration.seconds(1)

  private struct Key: Hashable {
    let channel: Int64
    let user: String
    let device: String
  }

  private struct Note {
    var sequence: Int64
    var time: Timestamp
  }

  /// A device that had a notification.
  struct Fetch {
    let device: String
    let time: Timestamp
  }

  private let devices: DeviceNames
  private let usage: UsageTable
  private let quotas: QuotaTable
  private var pending: [Key: Note] = [:]
  private let insert: any SQLStatement
  private let selectReach: any SQLStatement
  private let select: any SQLStatement

  init(
    _ connection: any SQLConnection,
    devices: DeviceNames,
    usage: UsageTable,
    quotas: QuotaTable
  ) throws {
    (self.devices, self.usage, self.quotas) = (devices, usage, quotas)
    insert = try connection.prepare(
      """
      INSERT INTO fetches (channel_id, owner, device, sequence, fetched, fetched_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING
      """
    )
    selectReach = try connection.prepare(
      """
      SELECT sequence FROM fetches
      WHERE channel_id = ?1 AND owner = ?2 AND device = ?3 ORDER BY sequence DESC LIMIT 1
      """
    )
    select = try connection.prepare(
      """
      SELECT device, fetched, fetched_nanos FROM fetches
      WHERE channel_id = ?1 AND owner = ?2 AND sequence >= ?3 LIMIT ?4
      """
    )
  }

  /// Something waits to be written.
  var isPending: Bool { !pending.isEmpty }

  /// Notes that a device had a channel up to a number.
  func note(_ channel: Int64, upTo sequence: Int64, by caller: Caller, at time: Timestamp) {
    let key = Key(channel: channel, user: caller.user, device: caller.device)
    guard pending[key] != nil || pending.count < Self.pendingMax else { return }
    guard sequence > pending[key]?.sequence ?? 0 else { return }
    pending[key] = Note(sequence: sequence, time: time)
  }

  /// Writes a piece of what waits.
  func write(at time: SteadyTime) throws {
    for (key, note) in pending.prefix(Self.writesMax) {
      // If this fails it is lost: a fetch that cannot be noted must not be in the way of all others.
      pending[key] = nil
      // A device that reads again from further back had it before.
      guard try reach(key) < note.sequence else { continue }
      // What is only noted to be traced is given up first.
      guard try devices.admits(Caller(user: key.user, device: key.device), at: time) else {
        continue
      }
      let cost = StorageCost.trace(device: key.device.utf8.count)
      let used = try usage.account(of: key.user)
      guard try quotas.quota(of: key.user).admits(Usage(bytes: cost), over: used) else { continue }
      try usage.add(cost, to: key.user)
      Self.bind(key, to: insert)
      insert.bind(note.sequence, at: 4)
      insert.bind(note.time, at: 5, nanos: 6)
      try insert.run()
    }
  }

  /// The devices of a user that had a notification, with the time of the first page.
  func fetches(of id: NotificationID, by user: String) throws -> [Fetch] {
    var fetches: [String: Timestamp] = [:]
    select.bind(id.channel, at: 1)
    select.bind(user, at: 2)
    select.bind(id.sequence, at: 3)
    select.bind(Self.readsMax, at: 4)
    try select.forEachRow {
      let (device, time) = (select.string(0), select.time(1, nanos: 2))
      fetches[device] = min(time, fetches[device] ?? time)
    }
    for (key, note) in pending
    where key.channel == id.channel && key.user == user && note.sequence >= id.sequence
      && fetches[key.device] == nil
    {
      fetches[key.device] = note.time
    }
    return fetches.map { Fetch(device: $0.key, time: $0.value) }
      .sorted { ($0.time, $0.device) < ($1.time, $1.device) }
  }

  private func reach(_ key: Key) throws(SQLError) -> Int64 {
    Self.bind(key, to: selectReach)
    defer { selectReach.reset() }
    return try selectReach.step() ? selectReach.int64(0) : 0
  }

  private static func bind(_ key: Key, to statement: any SQLStatement) {
    statement.bind(key.channel, at: 1)
    statement.bind(key.user, at: 2)
    statement.bind(key.device, at: 3)
  }
}
