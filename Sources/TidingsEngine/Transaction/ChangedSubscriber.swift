public import TidingsModel

/// A user whose subscriptions in a container changed without the user's doing.
public struct ChangedSubscriber: Hashable, Sendable {
  /// The user.
  public let user: String
  /// The container.
  public let container: String
  /// The environment.
  public let environment: Environment
}
