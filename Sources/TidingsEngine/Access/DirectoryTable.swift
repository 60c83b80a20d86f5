internal import TidingsModel
internal import TidingsSQL

/// The rows of users who published themselves: nothing of them is kept in memory.
final class DirectoryTable {
  /// Most of a user's newest invitations that are looked through to find a share with another user.
  static let invitationsMax: Int64 = 100

  private let upsert: any SQLStatement
  private let delete: any SQLStatement
  private let deleteSome: any SQLStatement
  private let select: any SQLStatement
  private let selectByEmail: any SQLStatement
  private let selectByPhone: any SQLStatement
  private let selectPage: any SQLStatement
  private let countContainers: any SQLStatement
  private let selectCommonShare: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    upsert = try connection.prepare(
      """
      INSERT INTO directory_entries (container, environment, user, display_name, email, phone)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (container, environment, user) DO UPDATE SET
        display_name = excluded.display_name, email = excluded.email, phone = excluded.phone
      """
    )
    delete = try connection.prepare(
      "DELETE FROM directory_entries WHERE container = ?1 AND environment = ?2 AND user = ?3"
    )
    deleteSome = try connection.prepare(
      """
      DELETE FROM directory_entries WHERE container = ?1 AND environment = ?2 AND user IN (
        SELECT user FROM directory_entries WHERE container = ?1 AND environment = ?2
        ORDER BY user LIMIT ?3
      ) RETURNING user
      """
    )
    let columns = "SELECT user, display_name, email, phone FROM directory_entries"
    let directory = "WHERE container = ?1 AND environment = ?2"
    select = try connection.prepare("\(columns) \(directory) AND user = ?3")
    selectByEmail = try connection.prepare("\(columns) \(directory) AND email = ?3")
    selectByPhone = try connection.prepare("\(columns) \(directory) AND phone = ?3")
    selectPage = try connection.prepare(
      """
      \(columns) \(directory) AND user > ?3 AND NOT EXISTS (
        SELECT 1 FROM accounts
        WHERE accounts.user = directory_entries.user AND accounts.restricted IS NOT NULL
      ) ORDER BY user LIMIT ?4
      """
    )
    countContainers = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT DISTINCT container FROM directory_entries WHERE user = ?1 AND container <> ?2
      ) AS others
      """
    )
    let accepted = Share.Status.accepted.rawValue
    selectCommonShare = try connection.prepare(
      """
      SELECT 1 FROM (
        SELECT share_id, status FROM share_participants WHERE user = ?1
        ORDER BY share_id DESC LIMIT ?3
      ) AS mine
      JOIN shares ON shares.id = mine.share_id AND shares.ended IS NULL
      JOIN databases ON databases.id = shares.database_id
      LEFT JOIN share_participants AS theirs
        ON theirs.share_id = mine.share_id AND theirs.user = ?2 AND theirs.status = \(accepted)
      WHERE mine.status = \(accepted) AND (databases.owner = ?2 OR theirs.user IS NOT NULL) LIMIT 1
      """
    )
  }

  /// Publishes a user, or replaces what was published.
  func write(
    _ entry: DirectoryEntry,
    of user: String,
    in container: String,
    _ environment: Environment
  ) throws(SQLError) {
    bind(container, environment, user, to: upsert)
    upsert.bind(entry.displayName, at: 4)
    for (text, index) in [(entry.emailAddress, 5), (entry.phoneNumber, 6)] {
      upsert.bind(text, at: index)
    }
    try upsert.run()
  }

  /// Removes a user, if the user is there.
  func remove(
    _ user: String,
    from container: String,
    _ environment: Environment
  ) throws(SQLError) {
    bind(container, environment, user, to: delete)
    try delete.run()
  }

  /// Removes users from a container, at most `limit`.
  ///
  /// - Returns: How many; fewer than `limit`: none is left.
  func removeSome(
    from container: String,
    _ environment: Environment,
    limit: Int64
  ) throws -> Int {
    deleteSome.bind(container, at: 1)
    deleteSome.bind(Int64(environment.rawValue), at: 2)
    deleteSome.bind(limit, at: 3)
    var count = 0
    try deleteSome.forEachRow { count += 1 }
    return count
  }

  /// What a look-up finds, by an address or a number as they are stored.
  func entry(
    _ lookup: UserLookup,
    in container: String,
    _ environment: Environment
  ) throws -> (user: String, entry: DirectoryEntry)? {
    let (statement, key) =
      switch lookup {
      case .userRecordName(let name): (select, name)
      case .emailAddress(let text): (selectByEmail, text)
      case .phoneNumber(let text): (selectByPhone, text)
      }
    bind(container, environment, key, to: statement)
    defer { statement.reset() }
    return try statement.step() ? row(statement) : nil
  }

  /// Users after a name, sorted; without those whom an administrator restricted.
  func page(
    of container: String,
    _ environment: Environment,
    after name: String,
    limit: Int
  ) throws -> [(user: String, entry: DirectoryEntry)] {
    bind(container, environment, name, to: selectPage)
    selectPage.bind(Int64(limit), at: 4)
    var rows: [(user: String, entry: DirectoryEntry)] = []
    try selectPage.forEachRow { rows.append(row(selectPage)) }
    return rows
  }

  /// In how many other containers a user is published.
  func containerCount(of user: String, besides container: String) throws(SQLError) -> Int {
    countContainers.bind(user, at: 1)
    countContainers.bind(container, at: 2)
    defer { countContainers.reset() }
    return try countContainers.step() ? Int(countContainers.int64(0)) : 0
  }

  /// Whether two users take part in the same share, as its owner or having accepted it.
  func haveCommonShare(_ user: String, _ other: String) throws -> Bool {
    try isInShare(user, with: other) || isInShare(other, with: user)
  }

  /// Whether a user accepted a share that another one owns or accepted.
  private func isInShare(_ user: String, with other: String) throws(SQLError) -> Bool {
    selectCommonShare.bind(user, at: 1)
    selectCommonShare.bind(other, at: 2)
    selectCommonShare.bind(Self.invitationsMax, at: 3)
    defer { selectCommonShare.reset() }
    return try selectCommonShare.step()
  }

  private func row(_ statement: any SQLStatement) -> (user: String, entry: DirectoryEntry) {
    let entry = DirectoryEntry(
      displayName: statement.string(1),
      emailAddress: statement.isNull(2) ? nil : statement.string(2),
      phoneNumber: statement.isNull(3) ? nil : statement.string(3)
    )
    return (statement.string(0), entry)
  }

  private func bind(
    _ container: String,
    _ environment: Environment,
    _ key: String,
    to statement: any SQLStatement
  ) {
    statement.bind(container, at: 1)
    statement.bind(Int64(environment.rawValue), at: 2)
    statement.bind(key, at: 3)
  }
}
