extension Predicate {
  /// A predicate from a text in NSPredicate's format language.
  ///
  /// Comparisons of a field with a value: `= == != <> < <= =< > >= =>`, `BETWEEN {a, b}`,
  /// `IN {…}`, `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE`, `v IN list`, with `[c]` after the
  /// operator and `ANY SOME ALL NONE` before the field; the value may stand first. Words:
  /// `self CONTAINS v`, `CONTAINS ANY`, `CONTAINS ALL`; places:
  /// `distanceToLocation:fromLocation:(field, v) < metres`. Between them `AND && OR || NOT !` and parentheses; `TRUEPREDICATE`, `FALSEPREDICATE`.
  /// Values are numbers, strings in quotes, TRUE and FALSE (1 and 0), `now`, arguments, and literals
  /// that `text` describes. Words are read in any case.
  ///
  /// - Parameters:
  ///   - text: At most `PredicateLimits.textBytesMax` bytes.
  ///   - arguments: For each `%@` a value (a list for BETWEEN and IN), for each `%K` a string: a
  ///     field's name.
  ///   - now: What `now` means, fixed from here on; `nil`: the clock's time.
  ///   - zone: The zone of references that name none (an empty name), except to users.
  ///   - user: Whoever calls, meant by `__defaultOwner__`; `nil`: that name is as any other.
  /// - Throws: With line and column, what was found and what is expected.
  public init(
    text: String,
    arguments: [FieldValue] = [],
    now: Timestamp? = nil,
    zone: ZoneID = .default,
    user: String? = nil
  ) throws(PredicateError) {
    let names = PredicateNames(zone: zone, user: user)
    try self.init(text, arguments, now, names, bytesMax: PredicateLimits.textBytesMax)
  }

  /// A predicate from its own `text`, which arguments may have made longer than a caller may write.
  public init(canonicalText text: String) throws(PredicateError) {
    try self.init(text, [], nil, PredicateNames(), bytesMax: PredicateLimits.canonicalTextBytesMax)
  }

  private init(
    _ text: String,
    _ arguments: [FieldValue],
    _ now: Timestamp?,
    _ names: PredicateNames,
    bytesMax: Int
  ) throws(PredicateError) {
    let count = text.utf8.count
    guard count <= bytesMax else {
      throw PredicateError(
        "the text has \(count) bytes, at most \(bytesMax) are allowed; use arguments or IN"
      )
    }
    var parser = PredicateParser(Array(text.utf8), arguments, now, names)
    try self.init(root: parser.predicate())
  }
}

/// A recursive descent, as deep as `PredicateLimits.nestingDepthMax` allows.
struct PredicateParser {
  var scanner: PredicateScanner
  var arguments: PredicateArguments
  /// What `now` means, the same everywhere in the text.
  private(set) lazy var now = givenNow ?? .now
  private let givenNow: Timestamp?
  /// What references and users mean.
  private let names: PredicateNames
  private var nodeCount = 0
  private var depth = 0

  init(_ text: [UInt8], _ arguments: [FieldValue], _ now: Timestamp?, _ names: PredicateNames) {
    (givenNow, self.names) = (now, names)
    scanner = PredicateScanner(text)
    self.arguments = PredicateArguments(arguments)
  }

  mutating func predicate() throws(PredicateError) -> Predicate.Node {
    scanner.skipSpace()
    if scanner.next == nil {
      throw scanner.error("the predicate is empty; TRUEPREDICATE matches every record")
    }
    let root = try disjunction()
    guard scanner.next == nil else { throw scanner.expected("AND, OR or the end of the text") }
    if let problem = arguments.problemAtEnd { throw scanner.error(problem) }
    return root
  }

  private mutating func disjunction() throws(PredicateError) -> Predicate.Node {
    let first = try conjunction()
    var operands = [first]
    while scanner.take(.or) || scanner.take("||") { operands.append(try conjunction()) }
    if operands.count == 1 { return first }
    try countNode(at: scanner.position)
    return .or(operands)
  }

  private mutating func conjunction() throws(PredicateError) -> Predicate.Node {
    let first = try term()
    var operands = [first]
    while scanner.take(.and) || scanner.take("&&") { operands.append(try term()) }
    if operands.count == 1 { return first }
    try countNode(at: scanner.position)
    return .and(operands)
  }

  /// One operand of AND and OR, and the white space around it.
  private mutating func term() throws(PredicateError) -> Predicate.Node {
    scanner.skipSpace()
    let node: Predicate.Node
    if scanner.take(.not) || scanner.take("!") {
      try enter()
      node = .not(try term())
      depth -= 1
    } else if scanner.take("(") {
      try enter()
      node = try disjunction()
      guard scanner.take(")") else { throw scanner.expected("AND, OR or ')'") }
      depth -= 1
    } else if scanner.take(.truePredicate) {
      try countNode(at: scanner.position)
      node = .constant(true)
    } else if scanner.take(.falsePredicate) {
      try countNode(at: scanner.position)
      node = .constant(false)
    } else {
      node = try comparison()
    }
    scanner.skipSpace()
    return node
  }

  /// Makes a comparison's node, or points at `offset` when the comparison is not valid.
  mutating func node(
    _ comparison: Predicate.Comparison,
    at offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    let qualified: Predicate.Comparison
    do { qualified = try comparison.qualified(as: names) } catch {
      throw scanner.error(error.message, at: offset)
    }
    let comparison = qualified
    if let problem = comparison.problem { throw scanner.error(problem, at: offset) }
    for _ in 0..<comparison.nodeCount { try countNode(at: offset) }
    return .comparison(comparison)
  }

  private mutating func countNode(at offset: Int) throws(PredicateError) {
    nodeCount += 1
    do { try Predicate.checkNodeCount(nodeCount) } catch {
      throw scanner.error(error.message, at: offset)
    }
  }

  private mutating func enter() throws(PredicateError) {
    depth += 1
    guard depth > PredicateLimits.nestingDepthMax else { return }
    throw scanner.error(
      "parentheses and NOT are nested more than \(PredicateLimits.nestingDepthMax) levels deep",
      at: scanner.position - 1
    )
  }
}
