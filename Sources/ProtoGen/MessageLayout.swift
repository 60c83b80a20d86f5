/// Which messages are stored behind a reference, and how deeply messages nest.
///
/// A struct cannot contain itself, and a struct of some hundred bytes is slow to move; both are cured
/// by `Indirect`.
struct MessageLayout {
  /// Messages up to this size are stored in place; `Timestamp`, `Reference` and the like are.
  private static let inlineBytesMax = 96
  /// A oneof takes the space of its largest member, whichever it has: up to this size they are stored in place.
  private static let oneofInlineBytesMax = 32
  /// How deep bytes may nest; see `MessageDecodingError.nestingMax`.
  private static let nestingMax = 64

  private let messages: [String: MessageModel]
  private var sizes: [String: Int] = [:]
  private var depths: [String: Int] = [:]
  private var recursive: Set<String> = []

  init(_ messages: [String: MessageModel]) {
    self.messages = messages
    for name in messages.keys where reaches(name, from: name) { recursive.insert(name) }
    for name in messages.keys.sorted() {
      sizes[name] = size(of: name)
      depths[name] = depth(of: name)
    }
  }

  /// Whether a singular field of this message type is stored behind a reference.
  func isIndirect(_ fullName: String) -> Bool {
    recursive.contains(fullName) || sizes[fullName, default: 0] > Self.inlineBytesMax
  }

  /// Whether a member of a oneof is stored behind a reference.
  func isIndirectInOneof(_ fullName: String) -> Bool {
    recursive.contains(fullName) || sizes[fullName, default: 0] > Self.oneofInlineBytesMax
  }

  /// Whether bytes of this message can be nested more deeply than allowed.
  func needsNestingCheck(_ fullName: String) -> Bool {
    depths[fullName, default: 1] > Self.nestingMax
  }

  /// Counts messages within this one, itself included; without end if it can contain itself.
  private mutating func depth(of name: String) -> Int {
    if let depth = depths[name] { return depth }
    depths[name] = Int.max  // found again on the way down: a cycle
    var deepest = 0
    for nested in nestedMessages(name) { deepest = max(deepest, depth(of: nested)) }
    let depth = deepest == Int.max || recursive.contains(name) ? Int.max : deepest + 1
    depths[name] = depth
    return depth
  }

  private func nestedMessages(_ name: String) -> [String] {
    (messages[name]?.fields ?? []).compactMap { field in
      if case .message(let nested) = field.kind { nested } else { nil }
    }
  }

  private func reaches(_ target: String, from name: String) -> Bool {
    var seen: Set<String> = []
    var pending = nestedMessages(name)
    while let next = pending.popLast() {
      if next == target { return true }
      if seen.insert(next).inserted { pending += nestedMessages(next) }
    }
    return false
  }

  /// Estimates the size of the struct in bytes.
  private mutating func size(of name: String) -> Int {
    if let size = sizes[name] { return size }
    guard let message = messages[name] else { return Self.inlineBytesMax }
    var oneofs = [Int](repeating: 0, count: message.oneofs.count)
    var total = 0
    for field in message.fields {
      let size = size(of: field.kind)
      switch field.label {
      case .repeated, .map: total += 8
      case .oneof(let index):
        let stored = size > Self.oneofInlineBytesMax + 8 ? 8 : size
        oneofs[index] = max(oneofs[index], stored + 8)
      case .optional: total += size + 8
      case .singular: total += size
      }
    }
    sizes[name] = total + oneofs.reduce(0, +)
    return total + oneofs.reduce(0, +)
  }

  private mutating func size(of kind: FieldModel.Kind) -> Int {
    switch kind {
    case .double, .int64, .uint64, .bytes: return 8
    case .float, .int32, .uint32, .enum: return 4
    case .bool: return 1
    case .string: return 16
    case .message(let name):
      if recursive.contains(name) { return 8 }
      let size = size(of: name)
      return size > Self.inlineBytesMax ? 8 : size + 8
    }
  }
}
