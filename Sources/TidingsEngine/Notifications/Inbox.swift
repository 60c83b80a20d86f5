internal import TidingsModel
internal import TidingsSQL

/// All notifications of one user in one container.
struct Inbox: Hashable {
  let user: String
  let container: String
  let environment: Environment

  /// What its tokens are issued for.
  var feedName: String { "notifications\0\(user)\0\(container)\0\(environment.rawValue)" }

  /// Binds the user, the container and the environment to the parameters from `index` on.
  func bind(to statement: any SQLStatement, from index: Int = 1) {
    statement.bind(user, at: index)
    statement.bind(container, at: index + 1)
    statement.bind(Int64(environment.rawValue), at: index + 2)
  }
}
