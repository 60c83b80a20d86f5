/// What a server does beside the calls of a soak.
public enum SoakActivity: String, Codable, CaseIterable, Comparable, Sendable {
  /// The run has begun: caches fill.
  case warmup = "warm-up"
  /// Records are saved that are deleted as a whole later.
  case filling
  /// Old notifications and tombstones are removed.
  case retention
  /// Indexes are built and removed.
  case index
  /// A backup is read.
  case backup
  /// A large zone is removed, and its space given back.
  case space
  /// The log is moved into the database file.
  case checkpoint

  /// Those during which calls must not take much longer.
  public static let compared: [Self] = [.retention, .index, .backup, .space, .checkpoint]

  /// In the order of the declaration.
  public static func < (first: Self, second: Self) -> Bool {
    allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
  }
}
