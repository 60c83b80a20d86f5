/// What went wrong in a database engine.
public struct SQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a caller can do about it.
  public enum Kind: Hashable, Sendable {
    /// The file is damaged or not a database: restore a backup.
    case damaged
    /// Another process holds the database.
    case busy
    /// The disk is full or does not work.
    case storage
    /// The disk or the memory failed in a way that leaves open whether a commit was kept: the next
    /// start of the process shows it.
    case uncertain
    /// The statement is wrong: a defect of this program.
    case statement
  }

  /// What a caller can do about it.
  public var kind: Kind
  /// The engine's own words.
  public var message: String

  /// An error of a kind, in the engine's words.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The engine's own words.
  public var description: String { message }
}
