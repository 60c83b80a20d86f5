public import TidingsModel

/// Notifications of one user that one device marked read in a transaction, and did not find marked.
public struct StoredReadMarks: Sendable {
  /// Whose they are.
  public let owner: String
  /// The container.
  public let container: String
  /// The environment.
  public let environment: Environment
  /// The device; empty: it gave no name.
  public let device: String
  /// The number of the user's newest mark before these; 0: there was none, or it is kept no longer.
  public let previous: Int64
  /// The number of the newest of these.
  public internal(set) var last: Int64
  /// Which ones, in the order of their marks.
  public internal(set) var ids: [NotificationID]
}
