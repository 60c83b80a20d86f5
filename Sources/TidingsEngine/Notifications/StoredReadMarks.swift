public import TidingsModel

/// Notifications of one user that a transaction marked read, and did not find marked.
public struct StoredReadMarks: Sendable {
  /// Whose they are.
  public let owner: String
  /// The container.
  public let container: String
  /// The environment.
  public let environment: Environment
  /// The number of the user's newest mark before; 0: there was none, or it is kept no longer.
  public let previous: Int64
  /// The number of the user's newest mark.
  public internal(set) var last: Int64
  /// Which ones, in the order of their marks.
  public internal(set) var ids: [NotificationID]
}
