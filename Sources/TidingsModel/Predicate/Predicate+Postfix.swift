extension Predicate {
  /// One node of a tree in postfix order: groups stand behind their operands.
  public enum PostfixItem: Hashable, Sendable {
    /// An operand.
    case comparison(Comparison)
    /// TRUEPREDICATE or FALSEPREDICATE.
    case constant(Bool)
    /// AND of the last operands, as many as it says.
    case and(Int)
    /// OR of the last operands, as many as it says.
    case or(Int)
    /// NOT of the last operand.
    case not
  }

  /// A predicate from a tree in postfix order.
  ///
  /// - Parameters:
  ///   - items: The tree; what remains at the end must be one operand.
  ///   - zone: The zone of references that name none (an empty name), except to users.
  ///   - user: Whoever calls, meant by `__defaultOwner__`; `nil`: that name is as any other.
  /// - Throws: When the items do not make one tree, and as `init(root:)` does.
  public init(
    postfix items: [PostfixItem],
    zone: ZoneID = .default,
    user: String? = nil
  ) throws(PredicateError) {
    let names = PredicateNames(zone: zone, user: user)
    try self.init(root: Self.tree(items).qualified(as: names))
  }

  /// A predicate from the postfix order of one that was canonical when it was kept.
  ///
  /// Making it canonical again would cost several times what reading it does. What the items say is
  /// checked so far that it can be evaluated.
  ///
  /// - Throws: When the items do not make one tree of comparisons.
  package init(canonicalPostfix items: [PostfixItem]) throws(PredicateError) {
    for case .comparison(let comparison) in items {
      // A pattern may be malformed; elsewhere the number of values is enough.
      let problem =
        comparison.operator == .like ? comparison.problem : comparison.countProblem
      if let problem { throw PredicateError(problem) }
    }
    self.init(canonical: try Self.tree(items))
  }

  private static func tree(_ items: [PostfixItem]) throws(PredicateError) -> Node {
    var operands: [(node: Node, height: Int)] = []
    var nodeCount = 0
    for (index, item) in items.enumerated() {
      if item != .not { nodeCount += 1 }
      try checkNodeCount(nodeCount)
      let operand = try operand(item, at: index, from: &operands)
      // Each operand is kept shallow, so that no tree is ever too deep to walk or to free.
      try checkDepth(operand.height)
      operands.append(operand)
    }
    guard let root = operands.popLast(), operands.isEmpty else {
      throw PredicateError(
        items.isEmpty
          ? "the predicate is empty; TRUEPREDICATE matches every record"
          : "the items leave \(operands.count + 1) operands, expected 1: join them with AND or OR"
      )
    }
    return root.node
  }

  /// The canonical tree in postfix order.
  public var postfix: [PostfixItem] {
    var items: [PostfixItem] = []
    Self.append(root, to: &items)
    return items
  }

  private static func operand(
    _ item: PostfixItem,
    at index: Int,
    from operands: inout [(node: Node, height: Int)]
  ) throws(PredicateError) -> (node: Node, height: Int) {
    switch item {
    case .comparison(let comparison):
      return (.comparison(comparison), 0)
    case .constant(let value):
      return (.constant(value), 0)
    case .not:
      let (nodes, height) = try take(1, for: "NOT", at: index, from: &operands)
      if case .comparison = nodes[0] { return (.not(nodes[0]), 0) }
      return (.not(nodes[0]), height + 1)
    case .and(let count):
      let (nodes, height) = try take(count, for: "AND", at: index, from: &operands)
      return (.and(nodes), height + 1)
    case .or(let count):
      let (nodes, height) = try take(count, for: "OR", at: index, from: &operands)
      return (.or(nodes), height + 1)
    }
  }

  private static func take(
    _ count: Int,
    for name: String,
    at index: Int,
    from operands: inout [(node: Node, height: Int)]
  ) throws(PredicateError) -> (nodes: [Node], height: Int) {
    guard count >= 1, count <= operands.count else {
      throw PredicateError(
        "item \(index), \(name) of \(count): expected 1 to \(operands.count) operands before it"
      )
    }
    let taken = operands.suffix(count)
    operands.removeLast(count)
    return (taken.map(\.node), taken.reduce(0) { max($0, $1.height) })
  }

  private static func append(_ node: Node, to items: inout [PostfixItem]) {
    switch node {
    case .constant(let value):
      items.append(.constant(value))
    case .comparison(let comparison):
      items.append(.comparison(comparison))
    case .not(let operand):
      append(operand, to: &items)
      items.append(.not)
    case .and(let operands):
      for operand in operands { append(operand, to: &items) }
      items.append(.and(operands.count))
    case .or(let operands):
      for operand in operands { append(operand, to: &items) }
      items.append(.or(operands.count))
    }
  }
}
