/// Which records? A predicate in canonical form: equal meanings compare equal, as far as the
/// canonical form can tell.
///
/// Made from text (`init(text:arguments:)`), from a tree (`init(root:)`) or from a tree in postfix
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
      /// The list has the value as a member.
      case contains
    }

    /// The field's name.
    public var field: String
    /// How it is compared.
    public var `operator`: Operator
    /// With what: one value, two for `between`, one or more for `in`.
    public var values: [FieldValue]

    /// A comparison.
    public init(field: String, operator: Operator, values: [FieldValue]) {
      self.field = field
      self.operator = `operator`
      self.values = values
    }
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
// text; a predicate tells them apart.
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
