internal import TidingsModel
internal import TidingsSQL

/// The first answers of calls with an idempotency key, kept in the transaction of their effects.
final class AnswerLog {
  /// Whose key.
  struct Key: Hashable {
    let owner: String
    let key: [UInt8]
  }

  /// An answer as stored.
  struct Row {
    let requestHash: [UInt8]
    let response: [UInt8]
    let expires: SteadyTime
  }

  /// What calls are going to look up, read ahead.
  let ahead: RowsAhead<Key, Row>
  private let limits: Limits
  private let usage: UsageTable
  private let select: any SQLStatement
  private let insert: any SQLStatement
  private let selectExpired: any SQLStatement
  private let delete: any SQLStatement
  private var nextPurge = SteadyTime(milliseconds: 0)
  /// What the answer that has expired counts whose key the call at hand uses again.
  private var expiredCost: Int64 = 0

  /// How often expired answers are removed, and how many at once: enough for 500 calls per second,
  /// and never a long wait for others.
  private static let purgeIntervalMilliseconds: Int64 = 1_000
  private static let purgeCountMax = 500
  private static let purgeBytesMax: Int64 = 1 << 20

  init(
    _ connection: any SQLConnection,
    readingAhead: (any SQLConnection)? = nil,
    bytesAheadMax: Int = 0,
    limits: Limits,
    usage: UsageTable
  ) throws {
    (self.limits, self.usage) = (limits, usage)
    ahead = RowsAhead(readingAhead, Self.queryAhead, bytesMax: bytesAheadMax)
    select = try connection.prepare(
      """
      SELECT request_hash, response, expires FROM answers
      WHERE owner = ?1 AND idempotency_key = ?2
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO answers (owner, idempotency_key, request_hash, response, expires)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (owner, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, response = excluded.response,
        expires = excluded.expires
      """
    )
    selectExpired = try connection.prepare(
      """
      SELECT owner, idempotency_key, length(response) FROM answers
      WHERE expires <= ?1 ORDER BY expires LIMIT ?2
      """
    )
    delete = try connection.prepare(
      "DELETE FROM answers WHERE owner = ?1 AND idempotency_key = ?2"
    )
  }

  /// The first answer to a call, if it was answered.
  ///
  /// - Throws: `ItemError` `serverRejectedRequest` when the key was used for another request.
  func answer(to call: IdempotentCall, at time: SteadyTime) throws -> [UInt8]? {
    expiredCost = 0
    guard let row = try row(Key(owner: call.owner, key: call.keyBytes)) else { return nil }
    guard row.expires > time else {
      expiredCost = StorageCost.answer(body: row.response.count, key: call.keyBytes.count)
      return nil
    }
    guard row.requestHash == call.requestHash else {
      throw ItemError(
        .serverRejectedRequest,
        "the idempotency key '\(call.key)' was used for another request: use a new key for each "
          + "request"
      )
    }
    return row.response
  }

  private func row(_ key: Key) throws(SQLError) -> Row? {
    if let known = ahead[key] { return known }
    select.bind(key.owner, at: 1)
    select.bind(key.key, at: 2)
    defer { select.reset() }
    return try select.step() ? Self.row(of: select) : nil
  }

  private static func row(of statement: any SQLStatement) -> Row {
    Row(
      requestHash: statement.bytes(0),
      response: statement.bytes(1),
      expires: SteadyTime(milliseconds: statement.int64(2))
    )
  }

  private static var queryAhead: RowsAhead<Key, Row>.Query {
    .init(
      sql: { keys in
        """
        SELECT a.request_hash, CASE WHEN length(a.response) <= \(RowsAhead<Key, Row>.rowBytesMax)
          THEN a.response END, a.expires, a.owner, a.idempotency_key,
          length(a.response) > \(RowsAhead<Key, Row>.rowBytesMax)
        FROM (VALUES \(keys)) AS k
        JOIN answers a ON a.owner = k.column1 AND a.idempotency_key = k.column2
        """
      },
      types: [.text, .bytes],
      bind: { statement, key, first in
        statement.bind(key.owner, at: first)
        statement.bind(key.key, at: first + 1)
      },
      row: { statement in
        let key = Key(owner: statement.string(3), key: statement.bytes(4))
        return (key, statement.int64(5) == 0 ? row(of: statement) : nil)
      }
    )
  }

  /// Keeps the first answer, to the call for which `answer` was asked last.
  func keep(_ response: [UInt8], for call: IdempotentCall, at time: SteadyTime) throws {
    let hour: Int64 = 3_600_000
    let expires = SteadyTime(
      milliseconds: time.milliseconds + Int64(limits.idempotencyRetentionHours) * hour
    )
    let isSmall = response.count <= RowsAhead<Key, Row>.rowBytesMax
    ahead.wrote(
      Key(owner: call.owner, key: call.keyBytes),
      isSmall
        ? Row(requestHash: call.requestHash, response: response, expires: expires) : nil
    )
    insert.bind(call.owner, at: 1)
    insert.bind(call.keyBytes, at: 2)
    insert.bind(call.requestHash, at: 3)
    insert.bind(response, at: 4)
    insert.bind(expires.milliseconds, at: 5)
    try insert.run()
    let cost = StorageCost.answer(body: response.count, key: call.keyBytes.count)
    try usage.add(cost - expiredCost, to: call.owner)
    expiredCost = 0
    try purge(at: time, adding: cost)
  }

  /// Removes expired answers: some each second, and besides more than large answers add.
  private func purge(at time: SteadyTime, adding cost: Int64) throws {
    let isDue = time >= nextPurge
    var bytesLeft = isDue ? Self.purgeBytesMax : 2 * cost
    guard isDue || cost > RowsAhead<Key, Row>.rowBytesMax else { return }
    if isDue { nextPurge.milliseconds = time.milliseconds + Self.purgeIntervalMilliseconds }
    var expired: [(key: Key, cost: Int64)] = []
    selectExpired.bind(time.milliseconds, at: 1)
    selectExpired.bind(Int64(Self.purgeCountMax), at: 2)
    defer { selectExpired.reset() }
    while bytesLeft > 0, try selectExpired.step() {
      let key = Key(owner: selectExpired.string(0), key: selectExpired.bytes(1))
      let cost = StorageCost.answer(body: Int(selectExpired.int64(2)), key: key.key.count)
      bytesLeft -= cost
      expired.append((key, cost))
    }
    selectExpired.reset()
    for answer in expired {
      ahead.wrote(answer.key, nil)
      delete.bind(answer.key.owner, at: 1)
      delete.bind(answer.key.key, at: 2)
      try delete.run()
      try usage.add(-answer.cost, to: answer.key.owner)
    }
  }
}
