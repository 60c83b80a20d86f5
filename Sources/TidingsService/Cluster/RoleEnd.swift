/// Why a server has ended in its role.
enum RoleEnd: Sendable, CustomStringConvertible {
  /// It was stopped, or its sockets failed.
  case stopped
  /// Another node has the database, which must have the commit that this one saw last.
  case anotherLeads(after: CommitMark?)
  /// This node has taken the database, and could not lead.
  case cannotLead
  /// It led and was drained: another one is to lead.
  case drained
  /// The database does not have this commit, which it had acknowledged.
  case databaseLost(CommitMark?)
  /// This node has taken the database, and leads.
  case leads(TakenDatabase)

  var description: String {
    switch self {
    case .stopped: "stopped"
    case .anotherLeads: "another node has taken the database"
    case .cannotLead: "this node cannot lead"
    case .drained: "this node was drained"
    case .databaseLost: "the database has lost commits that it had acknowledged"
    case .leads: "this node has taken the database"
    }
  }
}

/// A database with its lock, on the way from one thread to another.
///
/// Unchecked: whoever takes it out is the only one to use it.
final class TakenDatabase: @unchecked Sendable {
  private var database: (any OpenDatabase)?

  init(_ database: any OpenDatabase) { self.database = database }

  /// The database; `nil`: it was taken out before.
  func take() -> (any OpenDatabase)? {
    defer { database = nil }
    return database
  }
}
