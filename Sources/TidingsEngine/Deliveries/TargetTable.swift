internal import TidingsModel
internal import TidingsSQL

/// The rows of delivery targets.
final class TargetTable {
  private let insert: any SQLStatement
  private let setSealed: any SQLStatement
  private let setFailure: any SQLStatement
  private let delete: any SQLStatement
  private let selectAll: any SQLStatement
  private let selectOne: any SQLStatement
  private let selectOfUser: any SQLStatement
  private let seal: DeliverySeal

  private static let columns = """
    id, owner, container, environment, device, since_event, created, created_nanos, failing_since,
      failing_since_nanos, last_error
    """

  init(_ connection: any SQLConnection, seal: DeliverySeal) throws {
    self.seal = seal
    insert = try connection.prepare(
      """
      INSERT INTO delivery_targets (id, owner, container, environment, device, identity, sealed,
        since_event, created, created_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
    )
    setSealed = try connection.prepare(
      """
      UPDATE delivery_targets SET sealed = ?2, created = ?3, created_nanos = ?4, failing_since = NULL,
        last_error = ''
      WHERE id = ?1
      """
    )
    setFailure = try connection.prepare(
      """
      UPDATE delivery_targets SET failing_since = ?2, failing_since_nanos = ?3, last_error = ?4
      WHERE id = ?1
      """
    )
    delete = try connection.prepare("DELETE FROM delivery_targets WHERE id = ?1")
    selectAll = try connection.prepare(
      "SELECT \(Self.columns) FROM delivery_targets WHERE id > ?1 ORDER BY id",
      inPagesBy: PageKey(.integer(1, column: 0))
    )
    selectAll.bind(0, at: 1)
    selectOne = try connection.prepare(
      "SELECT \(Self.columns), sealed, identity FROM delivery_targets WHERE id = ?1"
    )
    selectOfUser = try connection.prepare(
      "SELECT id FROM delivery_targets WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
    )
  }

  func insert(_ target: DeliveryTarget, identity: [UInt8], _ address: [UInt8]) throws {
    insert.bind(target.id, at: 1)
    target.inbox.bind(to: insert, from: 2)
    insert.bind(target.device, at: 5)
    insert.bind(identity, at: 6)
    insert.bind(try seal.seal(address, of: target.id, in: target.inbox), at: 7)
    insert.bind(target.since, at: 8)
    insert.bind(target.created, at: 9, nanos: 10)
    try insert.run()
  }

  /// Writes the address of a target and when it was added the last time.
  func setAddress(_ address: [UInt8], of target: DeliveryTarget) throws {
    setSealed.bind(target.id, at: 1)
    setSealed.bind(try seal.seal(address, of: target.id, in: target.inbox), at: 2)
    setSealed.bind(target.created, at: 3, nanos: 4)
    try setSealed.run()
  }

  /// Notes how the last attempt ended.
  func setFailure(_ since: Timestamp?, _ error: String, of id: Int64) throws(SQLError) {
    setFailure.bind(id, at: 1)
    setFailure.bind(since, at: 2, nanos: 3)
    setFailure.bind(error, at: 4)
    try setFailure.run()
  }

  func delete(_ id: Int64) throws(SQLError) {
    delete.bind(id, at: 1)
    try delete.run()
  }

  /// Calls a function with each target, without its address.
  func readAll(_ body: (DeliveryTarget) -> Void) throws {
    try selectAll.forEachRow { if let target = Self.target(selectAll) { body(target) } }
  }

  /// The IDs of targets of a user behind one, in all containers.
  func ids(of user: String, after id: Int64, limit: Int) throws -> [Int64] {
    var ids: [Int64] = []
    selectOfUser.bind(user, at: 1)
    selectOfUser.bind(id, at: 2)
    selectOfUser.bind(Int64(limit), at: 3)
    try selectOfUser.forEachRow { ids.append(selectOfUser.int64(0)) }
    return ids
  }

  /// Throws when there are keys of addresses that cannot be read now: a target would have none.
  func checkKeys() throws { try seal.check() }

  /// A target with its address; `nil`: there is none.
  func target(_ id: Int64) throws -> (target: DeliveryTarget, identity: [UInt8])? {
    selectOne.bind(id, at: 1)
    defer { selectOne.reset() }
    guard try selectOne.step(), var target = Self.target(selectOne) else { return nil }
    target.address = seal.open(selectOne.bytes(11), of: id, in: target.inbox)
    return (target, selectOne.bytes(12))
  }

  private static func target(_ row: any SQLStatement) -> DeliveryTarget? {
    guard let environment = Environment(rawValue: Int32(truncatingIfNeeded: row.int64(3))) else {
      return nil
    }
    var target = DeliveryTarget(
      id: row.int64(0),
      inbox: Inbox(user: row.string(1), container: row.string(2), environment: environment),
      device: row.string(4),
      since: row.int64(5),
      created: row.time(6, nanos: 7)
    )
    target.failingSince = row.timestamp(8, nanos: 9)
    target.lastError = row.string(10)
    return target
  }
}
