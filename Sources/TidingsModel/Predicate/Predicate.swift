/// A predicate in canonical form: equal meanings compare equal, as far as the
/// canonical form can determine.
///
/// Created from text (`init(text:arguments:)`), from a tree (`init(root:)`) or from a tree in postfix
/// order (`init(postfix:)`). Read next: `PredicateLimits`, `CanonicalForm`,
/// `matches(_:)`.
public struct Predicate: Sendable {
  /// One comparison of a field with values.
  public struct Comparison: Hashable, Sendable {
    /// How a field is compared.
    public enum Operator: UInt8, Hashable, Sendable, CaseIterable {
      /// The field equals the value.
      case equal
      /// The field is less than the value.
      case lessThan
      /// The field is less than or equal to the value.
      case lessThanOrEqual
      /// The field is greater than the value.
      case greaterThan
      /// The field is greater than or equal to the value.
      case greaterThanOrEqual
      /// The field lies between two values, both included.
      case between
      /// The field equals one of the values.
      case `in`
      /// The text begins with the value.
      case beginsWith
      /// The list has the value as a member; or the text has one of the words of the value, which
      /// is a string.
      case contains
      /// There is a value, and it does not equal the value: for members of lists.
      ///
      /// With the modifier `none` it is the NOT of `equal`, and is never canonical.
      case notEqual
      /// The text ends with the value.
      case endsWith
      /// The text has the form of the value: `?` is one character, `*` any number of them, and a
      /// backslash makes the next character an ordinary one.
      case like
      /// The text has one of the words of the value.
      case containsAnyTokens
      /// The text has all words of the value.
      case containsAllTokens
      /// The place is less than the second value, in metres, from the first, a location.
      case near
    }

    /// Whether a comparison looks at a value or at the members of a list.
    public enum Modifier: UInt8, Hashable, Sendable, CaseIterable {
      /// At the value itself.
      case none
      /// True when it holds for a member of the list.
      case any
      /// True when the field is a list and it holds for all its members.
      case all
    }

    /// The field's name, or that of a `SystemField`; `self`: all texts of the record.
    public var field: String
    /// How it is compared.
    public var `operator`: Operator
    /// With what: one value, two for `between` and `near`, one or more for `in`.
    public var values: [FieldValue]
    /// Whether members of a list are compared.
    public var modifier: Modifier
    /// Whether strings are compared without regard to case.
    public var isCaseInsensitive: Bool

    /// A comparison.
    public init(
      field: String,
      operator: Operator,
      values: [FieldValue],
      modifier: Modifier = .none,
      isCaseInsensitive: Bool = false
    ) {
      self.field = field
      self.operator = `operator`
      self.values = values
      self.modifier = modifier
      self.isCaseInsensitive = isCaseInsensitive
    }

    /// Whether the value itself is compared, and case counts.
    package var isPlain: Bool { modifier == .none && !isCaseInsensitive }
    /// Whether all texts of the record are looked through.
    package var isFullText: Bool { field == Self.fullTextField }
    /// The name that stands for all texts of the record.
    package static let fullTextField = "self"
  }

  /// A predicate as a tree.
  public indirect enum Node: Hashable, Sendable {
    case constant(Bool)
    case comparison(Comparison)
    case not(Node)
    case and([Node])
    case or([Node])
  }

  /// The canonical tree.
  public let root: Node

  /// The predicate that every record matches.
  public static let `true` = Predicate(canonical: .constant(true))

  init(canonical root: Node) { self.root = root }
}

// `Node`'s own equality is that of Swift's strings, for which "é" in one and in two scalars is one
// text; a predicate distinguishes them.
extension Predicate: Hashable {
  /// Whether both have the same canonical tree.
  public static func == (a: Self, b: Self) -> Bool { order(a.root, b.root) == 0 }

  /// Feeds the canonical tree.
  public func hash(into hasher: inout Hasher) { Self.hash(root, into: &hasher) }

  private static func hash(_ node: Node, into hasher: inout Hasher) {
    switch node {
    case .constant(let value):
      hasher.combine(value)
    case .comparison(let comparison):
      hasher.combine(comparison.field)
      hasher.combine(comparison.operator)
      hasher.combine(comparison.modifier)
      hasher.combine(comparison.isCaseInsensitive)
      for value in comparison.values { value.hashMeaning(into: &hasher) }
    case .not(let operand):
      hasher.combine(0 as UInt8)
      hash(operand, into: &hasher)
    case .and(let operands), .or(let operands):
      hasher.combine(operands.count)
      for operand in operands { hash(operand, into: &hasher) }
    }
  }
}
