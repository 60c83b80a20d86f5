internal import TidingsModel
internal import TidingsSQL

/// What an administrator sets of the retention while the server runs; it outlasts restarts.
public struct RetentionChange: Sendable {
  /// The names that it has in the store, those of `AdjustableLimit`.
  public static let names = [
    "tombstone-retention-days", "notification-retention-days", "notifications-max",
  ]

  /// The numbers to set, by name.
  public var numbers: [String: Int64] = [:]
  /// First all are what the server was started with.
  public var resets = false

  /// A change of nothing.
  public init() {}
}

/// Keeps the retention that was set while the server ran.
final class RetentionSettings: TransactionParticipant {
  private let retention: SharedRetention
  private let limits: Limits
  /// What the server was started with.
  private let started: Retention
  private let select: any SQLStatement
  private let upsert: any SQLStatement
  private let deleteAll: any SQLStatement
  private(set) var setNames: [String] = []

  /// Adopts what was set before.
  init(_ connection: any SQLConnection, limits: Limits) throws {
    (retention, self.limits) = (limits.retention, limits)
    started = limits.retention.current
    select = try connection.prepare("SELECT name, value FROM settings ORDER BY name")
    upsert = try connection.prepare(
      """
      INSERT INTO settings (name, value) VALUES (?1, ?2)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """
    )
    deleteAll = try connection.prepare("DELETE FROM settings")
    try reload()
  }

  func reload() throws {
    var current = limits
    current.restore(started)
    setNames = []
    try select.forEachRow {
      let name = select.string(0)
      guard let limit = Self.limit(name), let number = Int(exactly: select.int64(1)),
        limit.range.contains(number)
      else { return }
      limit.set(&current, to: number)
      setNames.append(name)
    }
    retention.adopt(current.retention.current)
  }

  /// Changes the retention.
  ///
  /// - Throws: `ItemError` `invalidArguments` for a number outside its range, before anything is written;
  ///   `SQLError`.
  func change(_ change: RetentionChange) throws {
    for (name, number) in change.numbers.sorted(by: { $0.key < $1.key }) {
      guard let limit = Self.limit(name), let value = Int(exactly: number),
        limit.range.contains(value)
      else {
        let range =
          Self.limit(name).map { " \($0.range.lowerBound) to \($0.range.upperBound)" } ?? ""
        throw ItemError(
          .invalidArguments,
          "\(name.replacing("-", with: "_")) is \(number) and must be in the range\(range)"
        )
      }
    }
    if change.resets { try deleteAll.run() }
    for (name, number) in change.numbers {
      upsert.bind(name, at: 1)
      upsert.bind(number, at: 2)
      try upsert.run()
    }
    try reload()
  }

  private static func limit(_ name: String) -> AdjustableLimit? {
    guard RetentionChange.names.contains(name) else { return nil }
    return AdjustableLimit.all.first { $0.name == name }
  }
}
