/// What went wrong in a database engine.
public struct SQLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a caller can do about it.
  public enum Kind: Hashable, Sendable {
    /// The file is damaged or not a database: restore a backup.
    case damaged
    /// Another process holds the database.
    case busy
    /// The transaction collided with another one, and was rolled back: run it again.
    case conflict
    /// The connection to the database was lost before the commit, or there is none: run it again.
    case disconnected
    /// The statement was interrupted, or ran for too long.
    case interrupted
    /// The database refuses the login, or lacks a right that is needed: fix the configuration.
    case denied
    /// The disk is full or does not work.
    case storage
    /// The disk, the memory or the connection failed in a way that leaves open whether a commit was kept.
    ///
    /// An embedded database shows it after the next start of the process, a server after the next connection.
    case uncertain
    /// The statement is wrong: a defect of this program.
    case statement
  }

  /// What a caller can do about it.
  public var kind: Kind
  /// The engine's own words.
  public var message: String
  /// The engine's own code: an SQLSTATE of five letters and digits, or the number of SQLite's result.
  public var state: String?
  /// The text of a wrong statement, with places for its values.
  public var statement: String?
  /// The disk, or what the user may take of it, is full.
  public var isFull = false
  /// What the system refused a file with, an `errno`; `nil`: it refused nothing, or it is not known.
  public var systemCode: Int32?
  /// It failed only because the transaction before it did, which was not durable yet.
  public var follows = false
  /// It is of rows that were queued (`SQLInsertion`), perhaps by another caller than the one it is thrown to.
  public var isDeferred = false

  /// An error of a kind, in the engine's words.
  public init(_ kind: Kind, _ message: String, state: String? = nil) {
    self.kind = kind
    self.message = message
    self.state = state
  }

  /// The failure of a transaction whose effects were decided with those of one that failed.
  public static func following(_ error: SQLError) -> SQLError {
    var follower = SQLError(.conflict, "the transaction before failed: \(error)")
    follower.follows = true
    return follower
  }

  /// The engine's own words.
  public var description: String { message }
}

extension SQLError: CustomDebugStringConvertible {
  /// Most characters of a statement that are shown.
  private static let statementCharactersMax = 500

  /// The engine's own words and code, and the text of a wrong statement, in one line.
  public var debugDescription: String {
    let code = state.map { " (code \($0))" } ?? ""
    guard let statement else { return message + code }
    let words = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return "\(message)\(code), in the statement: \(words.prefix(Self.statementCharactersMax))"
  }
}
