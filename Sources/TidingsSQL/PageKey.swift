/// Where a statement continues behind one of its rows.
///
/// The statement returns its rows in the ascending order of some columns, which no two rows share, and begins
/// behind the values of some parameters: `WHERE (a, b) > (?1, ?2) ORDER BY a, b`.
public struct PageKey: Hashable, Sendable {
  /// A parameter of the statement, and the column whose value it takes to continue.
  public struct Part: Hashable, Sendable {
    /// The number of the parameter.
    public let parameter: Int
    /// The column, counted from 0.
    public let column: Int
    /// Its type; no value is null.
    public let type: SQLType
  }

  /// The most significant one first.
  public let parts: [Part]
  /// The statement begins at the values, not behind them (`>=`).
  ///
  /// The last part is then text without control characters, such as names are: U+0001 is appended to continue.
  public let isInclusive: Bool

  /// A key.
  ///
  /// - Parameters:
  ///   - parts: The most significant one first.
  ///   - isInclusive: The statement begins at the values, not behind them.
  public init(_ parts: Part..., isInclusive: Bool = false) {
    precondition(!isInclusive || parts.last?.type == .text, "only text has a next value")
    (self.parts, self.isInclusive) = (parts, isInclusive)
  }
}

extension PageKey.Part {
  /// A number.
  public static func integer(_ parameter: Int, column: Int) -> Self {
    Self(parameter: parameter, column: column, type: .integer)
  }

  /// Text.
  public static func text(_ parameter: Int, column: Int) -> Self {
    Self(parameter: parameter, column: column, type: .text)
  }

  /// Bytes.
  public static func bytes(_ parameter: Int, column: Int) -> Self {
    Self(parameter: parameter, column: column, type: .bytes)
  }
}
