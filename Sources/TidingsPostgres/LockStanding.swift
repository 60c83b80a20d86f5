/// How it stands with the lock that lets one session at a time write.
public enum LockStanding: Sendable {
  /// The connection has it, or had it when it was last connected.
  case held
  /// Another session has it.
  case lost
  /// The database has lost commits that it had acknowledged: what this program knows of it, and what clients keep, is of
  /// a history that the database does not have.
  case rewound
}
