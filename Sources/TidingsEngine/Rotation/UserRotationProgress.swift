internal import TidingsSQL

/// How far the new topics of each refused user's channels are, in the store: a restart goes on.
final class UserRotationProgress {
  /// What is to be done for a user, one after the other.
  enum Stage: Int64 {
    /// Open leases end.
    case leases
    /// All that the user subscribed to.
    case subscriptions
    /// All channels of the user's own databases, also those that nobody subscribes to now: who
    /// subscribes again gets the same one.
    case ownChannels
    /// All channels of public databases with the user as the only reader, too.
    case readerChannels
  }

  /// A user, and the last row that is done.
  struct State {
    var user: String
    /// The user's first control topics that devices may still listen to.
    var epoch: Int64
    var stage: Stage
    var container = ""
    /// For `ownChannels` the database's number.
    var environment: Int64 = 0
    var number: Int64 = 0
  }

  private let begin: any SQLStatement
  private let selectNext: any SQLStatement
  private let update: any SQLStatement
  private let delete: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    begin = try connection.prepare(
      """
      INSERT INTO user_rotations (user, epoch, stage, container, environment, number)
      VALUES (?1, ?2, ?3, '', 0, 0)
      ON CONFLICT (user) DO UPDATE SET stage = excluded.stage, container = '', environment = 0,
        number = 0
      """
    )
    selectNext = try connection.prepare(
      """
      SELECT user, epoch, stage, container, environment, number FROM user_rotations
      WHERE user >= ?1 ORDER BY user LIMIT 1
      """
    )
    update = try connection.prepare(
      """
      UPDATE user_rotations SET stage = ?2, container = ?3, environment = ?4, number = ?5
      WHERE user = ?1
      """
    )
    delete = try connection.prepare("DELETE FROM user_rotations WHERE user = ?1")
  }

  /// Starts with a user, also again; then the first epoch stays.
  func begin(_ state: State) throws {
    begin.bind(state.user, at: 1)
    begin.bind(state.epoch, at: 2)
    begin.bind(state.stage.rawValue, at: 3)
    try begin.run()
  }

  /// The first user from a name on for whom something is to be done.
  func next(from user: String) throws -> State? {
    selectNext.bind(user, at: 1)
    defer { selectNext.reset() }
    guard try selectNext.step() else { return nil }
    return State(
      user: selectNext.string(0),
      epoch: selectNext.int64(1),
      stage: Stage(rawValue: selectNext.int64(2)) ?? .subscriptions,
      container: selectNext.string(3),
      environment: selectNext.int64(4),
      number: selectNext.int64(5)
    )
  }

  /// Notes how far it is; the epoch stays.
  func save(_ state: State) throws {
    update.bind(state.user, at: 1)
    update.bind(state.stage.rawValue, at: 2)
    update.bind(state.container, at: 3)
    update.bind(state.environment, at: 4)
    update.bind(state.number, at: 5)
    try update.run()
  }

  /// All is done for a user.
  func end(_ user: String) throws {
    delete.bind(user, at: 1)
    try delete.run()
  }
}
