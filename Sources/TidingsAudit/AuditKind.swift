/// What is kept in files of its own, so that much of one never displaces another.
public enum AuditKind: String, CaseIterable, Sendable {
  /// What administrators did.
  case administration = "audit"
  /// Changes of schemas, which developers may make as often as they like.
  case schemas
  /// What was refused, to whomever.
  case refusals

  /// What the names of its files begin with.
  public var name: String { rawValue }

  /// Files that are kept besides the one that is written.
  public static let oldFilesMax = 9

  /// Whether a name is that of a file of any kind.
  public static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(".log") && allCases.contains { name.hasPrefix($0.name + ".") }
  }

  /// The name of a file: 0 is the one that is written, higher numbers are older.
  public func fileName(_ number: Int) -> String {
    number == 0 ? "\(name).log" : "\(name).\(number).log"
  }
}
