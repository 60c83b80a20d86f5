/// What a statement does to the transaction, beside reading and writing.
enum TransactionControl: Equatable {
  /// Opens it.
  case begin
  /// Makes it durable.
  case commit
  /// Rolls it back.
  case rollback
  /// Sets or releases a savepoint.
  case savepoint, release
  /// Rolls back to a savepoint, also in a transaction that has failed.
  case rollbackToSavepoint

  /// What a statement does; `nil`: it only reads or writes.
  init?(_ statement: String) {
    let words = Token.tokens(of: statement).filter { $0.kind == .word }.prefix(3)
      .map { $0.text.uppercased() }
    switch words.first {
    case "BEGIN": self = .begin
    case "COMMIT", "END": self = .commit
    case "ROLLBACK": self = words.contains("TO") ? .rollbackToSavepoint : .rollback
    case "SAVEPOINT": self = .savepoint
    case "RELEASE": self = .release
    default: return nil
    }
  }
}
