extension Predicate {
  /// A predicate from a tree.
  ///
  /// - Parameter root: Any tree within `PredicateLimits`.
  /// - Throws: When a limit is exceeded, an AND or OR has no operands, or a comparison has no
  ///   meaning: a wrong number or type of values, NaN, or a name that no field can have.
  public init(root: Node) throws(PredicateError) {
    var check = TreeCheck()
    try check.visit(root, depth: 0)
    try self.init(checked: root)
  }

  /// Canonicalizes a tree that is known to be within the limits.
  init(checked root: Node) throws(PredicateError) {
    self.init(canonical: CanonicalForm.of(root))
    let bytesMax = PredicateLimits.canonicalTextBytesMax
    // Counting is cheap: only values can be long.
    guard self.root.valueBytes > bytesMax / 8, canonicalBytes.count > bytesMax else { return }
    throw PredicateError(
      "the predicate with its arguments is longer than \(bytesMax) bytes; "
        + "use fewer or shorter values"
    )
  }
}

extension Predicate {
  /// The names of the fields and system fields that are compared.
  public var fields: Set<String> {
    var (fields, rest): (Set<String>, [Node]) = ([], [root])
    while let node = rest.popLast() {
      switch node {
      case .constant: break
      case .comparison(let comparison): fields.insert(comparison.field)
      case .not(let operand): rest.append(operand)
      case .and(let operands), .or(let operands): rest += operands
      }
    }
    return fields
  }
}

/// Walks a tree once and refuses what exceeds a limit, before anything else walks it.
private struct TreeCheck {
  private var nodeCount = 0

  mutating func visit(_ node: Predicate.Node, depth: Int) throws(PredicateError) {
    try Predicate.checkDepth(depth)
    switch node {
    case .constant:
      try count()
    case .comparison(let comparison):
      for _ in 0..<comparison.nodeCount { try count() }
      if comparison.nodeCount > 1 { try Predicate.checkDepth(depth + 1) }
      if let problem = comparison.problem { throw PredicateError(problem) }
    case .not(.comparison(let comparison)):
      try visit(.comparison(comparison), depth: depth)
    case .not(let operand):
      try visit(operand, depth: depth + 1)
    case .and(let operands), .or(let operands):
      try count()
      if operands.isEmpty { throw PredicateError("AND and OR take at least 1 operand, found none") }
      for operand in operands { try visit(operand, depth: depth + 1) }
    }
  }

  private mutating func count() throws(PredicateError) {
    nodeCount += 1
    try Predicate.checkNodeCount(nodeCount)
  }
}

extension Predicate.Comparison {
  /// How many nodes this is: ANY with IN is an OR.
  var nodeCount: Int { self.operator == .in && modifier == .any ? values.count + 1 : 1 }
}

extension Predicate {
  static func checkDepth(_ depth: Int) throws(PredicateError) {
    guard depth > PredicateLimits.nestingDepthMax else { return }
    throw PredicateError(
      "AND, OR and NOT are nested more than \(PredicateLimits.nestingDepthMax) levels deep"
    )
  }

  static func checkNodeCount(_ count: Int) throws(PredicateError) {
    guard count > PredicateLimits.nodeCountMax else { return }
    throw PredicateError(
      "the predicate has more than \(PredicateLimits.nodeCountMax) comparisons and groups; "
        + "use IN for several values of one field"
    )
  }
}

extension Predicate.Node {
  /// At least the bytes that the values take.
  fileprivate var valueBytes: Int {
    switch self {
    case .constant: 0
    case .comparison(let comparison):
      comparison.values.reduce(comparison.field.utf8.count + 32) { $0 + $1.textBytesEstimate }
    case .not(let operand): operand.valueBytes
    case .and(let operands), .or(let operands): operands.reduce(0) { $0 + $1.valueBytes }
    }
  }
}

extension FieldValue {
  fileprivate var textBytesEstimate: Int {
    switch self {
    case .string(let value): value.utf8.count + 4
    case .bytes(let value): value.count * 2 + 4
    case .reference(let value):
      value.recordID.recordName.utf8.count + value.recordID.zoneID.zoneName.utf8.count + 32
    default: 32
    }
  }
}
