/// Which database rpcd uses, from `RPCD_DATABASE` or `--database-file FILE`.
///
/// An address is never an argument: other users of the machine see those.
public enum DatabaseSetting: Sendable, CustomStringConvertible {
  /// A file in the data folder.
  case embedded
  /// A PostgreSQL server.
  case postgres(PostgresAddress)

  /// The database, without a password.
  public var description: String {
    switch self {
    case .embedded: "embedded"
    case .postgres(let address): address.description
    }
  }

  /// Several nodes can use it at once.
  public var isShared: Bool {
    if case .postgres = self { true } else { false }
  }

  /// The environment variable with an address.
  public static let variable = "RPCD_DATABASE"

  /// A setting that cannot be used; its words contain no part of the address.
  public struct Invalid: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// A file with an address.
  public struct File: Sendable {
    /// Its name, for messages.
    public var name: String
    /// What it contains.
    public var content: String
    /// Users other than its owner and the group may read it.
    public var isReadableByOthers: Bool

    /// A file that was read.
    public init(name: String, content: String, isReadableByOthers: Bool) {
      self.name = name
      self.content = content
      self.isReadableByOthers = isReadableByOthers
    }
  }

  /// Reads the setting.
  ///
  /// - Parameters:
  ///   - environment: That of the process. An empty variable counts as none.
  ///   - file: The file that `--database-file` names.
  /// - Throws: `Invalid`.
  public init(environment: [String: String], file: File?) throws(Invalid) {
    let value = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    switch (value, file) {
    case (nil, nil): self = .embedded
    case (_?, _?):
      throw Invalid(description: "\(Self.variable) and --database-file cannot be combined: use one")
    case (let value?, nil): self = .postgres(try Self.address(value, in: Self.variable))
    case (nil, let file?):
      guard !file.isReadableByOthers else {
        throw Invalid(description: "everybody may read '\(file.name)': run chmod 640 on it")
      }
      let lines = file.content.split(whereSeparator: \.isNewline).map { $0.trimmingSpaces }
        .filter { !$0.isEmpty && !$0.hasPrefix("#") }
      guard lines.count == 1 else {
        throw Invalid(
          description: "expected one line with an address in '\(file.name)', not \(lines.count)"
        )
      }
      self = .postgres(try Self.address(lines[0], in: "'\(file.name)'"))
    }
  }

  private static func address(_ text: String, in source: String) throws(Invalid) -> PostgresAddress
  {
    do throws(PostgresAddress.Invalid) {
      return try PostgresAddress(text)
    } catch {
      throw Invalid(description: "invalid address in \(source): \(error)")
    }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(
      trimmingPrefix(while: \.isWhitespace).reversed().trimmingPrefix(while: \.isWhitespace)
        .reversed()
    )
  }
}
