internal import TidingsModel

/// Determines whether a record enters or leaves the set of a channel that requests it.
struct Transition {
  var predicate: Predicate
  /// The bits of the fields on which the predicate depends.
  var fields: UInt64
}

/// The fields of a record type on which channels depend that ask for enter or leave.
///
/// An update that changes none of them needs no look at the record's old state.
struct TransitionFields {
  private struct Field {
    var name: String
    /// Channels that depend on it; 0: the place is free.
    var count: Int
  }

  private static let sharedBit = 63
  private var fields: [Field] = []

  /// Notes the fields of a predicate.
  ///
  /// - Returns: Their bits; the fields from the 64th on share one.
  mutating func insert(_ predicate: Predicate) -> UInt64 {
    var bits: UInt64 = 0
    for name in predicate.root.fieldNames { bits |= 1 << UInt64(min(insert(name), Self.sharedBit)) }
    return bits
  }

  /// Forgets the fields of a predicate.
  mutating func remove(_ predicate: Predicate) {
    for name in predicate.root.fieldNames {
      guard let index = fields.firstIndex(where: { $0.name == name && $0.count > 0 }) else {
        preconditionFailure("the fields of a channel are not known")
      }
      fields[index].count -= 1
    }
  }

  /// The bits of the fields whose values differ between two states of a record.
  func changed(_ old: Record, _ new: Record) -> UInt64 {
    var bits: UInt64 = 0
    for (index, field) in fields.enumerated() where field.count > 0 {
      let bit: UInt64 = 1 << UInt64(min(index, Self.sharedBit))
      if bits & bit == 0, Self.differs(field.name, old, new) { bits |= bit }
    }
    return bits
  }

  private mutating func insert(_ name: String) -> Int {
    if let index = fields.firstIndex(where: { $0.name == name && $0.count > 0 }) {
      fields[index].count += 1
      return index
    }
    if let free = fields.firstIndex(where: { $0.count == 0 }) {
      fields[free] = Field(name: name, count: 1)
      return free
    }
    fields.append(Field(name: name, count: 1))
    return fields.count - 1
  }

  private static func differs(_ name: String, _ old: Record, _ new: Record) -> Bool {
    if name == Predicate.Comparison.fullTextField { return !old.fields.isSame(as: new.fields) }
    switch (old.predicateValue(name), new.predicateValue(name)) {
    case (nil, nil): return false
    case (let old?, let new?): return !old.isSame(as: new)
    default: return true
    }
  }
}

extension Subscription.FiringOptions {
  /// Whether the old state of a record counts beside the new one.
  var isOfTransitions: Bool { !isDisjoint(with: [.recordEnter, .recordLeave]) }
}

extension FieldValue {
  /// Whether two values are the same to every predicate; rather no than wrongly yes.
  fileprivate func isSame(as other: FieldValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.stringList(let a), .stringList(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.hasSameBytes(as: $1) }
    default: self == other
    }
  }
}

extension Predicate.Node {
  /// How many comparisons there are.
  var comparisonCount: Int {
    switch self {
    case .constant: 0
    case .comparison: 1
    case .not(let operand): operand.comparisonCount
    case .and(let operands), .or(let operands): operands.reduce(0) { $0 + $1.comparisonCount }
    }
  }

  /// The names of all fields, each once.
  fileprivate var fieldNames: Set<String> {
    var names: Set<String> = []
    collectFieldNames(into: &names)
    return names
  }

  private func collectFieldNames(into names: inout Set<String>) {
    switch self {
    case .constant: break
    case .comparison(let comparison): names.insert(comparison.field)
    case .not(let operand): operand.collectFieldNames(into: &names)
    case .and(let operands), .or(let operands):
      for operand in operands { operand.collectFieldNames(into: &names) }
    }
  }
}

extension RecordFields {
  fileprivate func isSame(as other: RecordFields) -> Bool {
    sorted.count == other.sorted.count
      && zip(sorted, other.sorted).allSatisfy { a, b in
        guard let old = a.value, let new = b.value else { return false }
        return a.name == b.name && old.isSame(as: new)
      }
  }
}
