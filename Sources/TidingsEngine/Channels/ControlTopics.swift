internal import TidingsModel
internal import TidingsSQL

/// Each user's own topic, which nobody else can guess; derived, so that it need not be stored.
///
/// What is stored is how often it was replaced: in a container, for users who replaced it, and in all
/// of them, when a key of the user or the user was refused.
final class ControlTopics {
  private let secret: [UInt8]
  private let accounts: AccountDirectory
  private let select: any SQLStatement
  private let advance: any SQLStatement

  init(_ connection: any SQLConnection, secret: [UInt8], accounts: AccountDirectory) throws {
    self.secret = secret
    self.accounts = accounts
    select = try connection.prepare(
      """
      SELECT epoch FROM control_epochs WHERE owner = ?1 AND container = ?2 AND environment = ?3
      """
    )
    advance = try connection.prepare(
      """
      INSERT INTO control_epochs (owner, container, environment, epoch) VALUES (?1, ?2, ?3, 1)
      ON CONFLICT (owner, container, environment) DO UPDATE
      SET epoch = control_epochs.epoch + 1
      """
    )
  }

  /// The topic of a user in a container.
  func topic(of user: String, container: String, environment: Environment) throws -> [UInt8] {
    try topic(
      of: user,
      container: container,
      environment: environment,
      userEpoch: try accounts.controlEpoch(of: user)
    )
  }

  /// The topic that a user had when all topics of the user had been replaced so many times.
  func topic(
    of user: String,
    container: String,
    environment: Environment,
    userEpoch: Int64
  ) throws(SQLError) -> [UInt8] {
    bind(user, container, environment, to: select)
    defer { select.reset() }
    let epoch = try select.step() ? select.int64(0) : 0
    var name = "control\0\(user)\0\(container)\0\(environment.rawValue)"
    if epoch > 0 || userEpoch > 0 { name += "\0\(epoch)" }
    if userEpoch > 0 { name += "\0\(userEpoch)" }
    return Topic.derived(from: name, secret: secret)
  }

  /// Replaces the topic of a user in a container.
  func replace(
    of user: String,
    container: String,
    environment: Environment
  ) throws(SQLError) {
    bind(user, container, environment, to: advance)
    try advance.run()
  }

  private func bind(
    _ user: String,
    _ container: String,
    _ environment: Environment,
    to statement: any SQLStatement
  ) {
    statement.bind(user, at: 1)
    statement.bind(container, at: 2)
    statement.bind(Int64(environment.rawValue), at: 3)
  }
}
