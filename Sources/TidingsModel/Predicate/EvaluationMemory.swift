/// What comparisons found of the large values of one call, so that each thing is found once, whatever many
/// predicates ask for it, and on whichever thread there is time.
///
/// It has a budget of steps. What costs more is noted instead of done (`hasPending`): `work` does it, on
/// another thread if need be, and the evaluation is repeated with what was found. A finding depends on
/// nothing but a comparison and the bytes of a value, so it stays true whatever happens meanwhile.
///
/// Unchecked: the call that it belongs to is either on the loop or handed to a worker, never on both.
public final class EvaluationMemory: @unchecked Sendable {
  /// Something to find.
  enum Task {
    case folded(LargeValue)
    case words(LargeValue)
    case comparison(LargeValue, Predicate.Comparison)
  }

  /// Steps of one evaluation of a call: with about a nanosecond each, a millisecond.
  public static let stepsMax = 1_000_000
  /// A value of so many bytes is a large one.
  public static let largeBytesMin = 4_096
  /// Things that are noted at a time; the others are noted when the evaluation is repeated.
  private static let pendingMax = 10_000

  /// Values of so many bytes are remembered; smaller ones are looked through again.
  let largeBytesMin: Int
  /// Of this evaluation.
  private var stepsLeft: Int
  private let stepsPerPass: Int
  private var values: [LargeValue.Key: LargeValue] = [:]
  private var pass = 0
  private var pending: [Task] = []
  /// Steps that were taken so far, on all threads.
  public private(set) var stepsTaken = 0
  /// The most that one evaluation took.
  public private(set) var longestPass = 0

  /// A memory without anything in it.
  ///
  /// - Parameters:
  ///   - stepsMax: What one evaluation may take; `nil`: as much as it needs.
  ///   - largeBytesMin: Values of so many bytes are remembered.
  public init(
    stepsMax: Int? = EvaluationMemory.stepsMax,
    largeBytesMin: Int = EvaluationMemory.largeBytesMin
  ) {
    self.largeBytesMin = largeBytesMin
    stepsPerPass = stepsMax ?? .max
    stepsLeft = stepsPerPass
  }

  /// Something was not found yet: the result must not be used.
  public var hasPending: Bool { !pending.isEmpty }

  /// An evaluation of the call begins: values that the one before did not meet are forgotten.
  public func beginPass() {
    values = values.filter { $0.value.pass == pass }
    pass += 1
    pending = []
    stepsLeft = stepsPerPass
  }

  /// Finds what is pending.
  ///
  /// - Parameter isOver: Asked after each thing: whether to go on another time.
  /// - Returns: Whether all is found.
  public func work(until isOver: () -> Bool) -> Bool {
    let stepsLeft = self.stepsLeft
    defer { self.stepsLeft = stepsLeft }
    while let task = pending.popLast() {
      self.stepsLeft = .max
      switch task {
      case .folded(let value): _ = value.folded(self)
      case .words(let value): _ = value.words(isFolded: false, self)
      case .comparison(let value, let comparison): _ = value.satisfies(comparison, self)
      }
      if isOver() { break }
    }
    return pending.isEmpty
  }

  /// The value that has these bytes.
  func value(_ value: FieldValue) -> LargeValue {
    let key = LargeValue.Key(value: value)
    let found = values[key] ?? LargeValue(value)
    if found.pass == 0 { values[key] = found }
    found.pass = pass
    return found
  }

  /// Takes steps from the budget.
  ///
  /// - Returns: `false` when there are not so many left.
  func take(_ steps: Int) -> Bool {
    guard steps <= stepsLeft else { return false }
    stepsTaken += steps
    stepsLeft -= steps
    if stepsPerPass < .max { longestPass = max(longestPass, stepsPerPass - stepsLeft) }
    return true
  }

  /// Takes steps that are few, whether or not they are left.
  func charge(_ steps: Int) {
    stepsTaken += steps
    stepsLeft -= steps
  }

  /// From here on only what is known answers.
  func spendBudget() { stepsLeft = 0 }

  func note(_ task: Task) {
    if pending.count < Self.pendingMax { pending.append(task) }
  }
}

/// The large values of one state of a record.
package struct LargeFields {
  package let memory: EvaluationMemory
  private let values: [(field: String, value: LargeValue)]

  /// `nil`: the record has none.
  package init?(_ record: Record, _ memory: EvaluationMemory) {
    self.memory = memory
    values = record.fields.sorted.compactMap { field in
      guard let value = field.value, value.isLarge(memory.largeBytesMin) else { return nil }
      return (field.name, memory.value(value))
    }
    if values.isEmpty { return nil }
  }

  /// A field's value, if it is a large one.
  package subscript(field: String) -> LargeValue? {
    values.first { $0.field == field }?.value
  }
}

extension Record {
  /// A value is so large that looking through it again and again takes long.
  package var hasLargeValues: Bool {
    let bytesMin = EvaluationMemory.largeBytesMin
    if let packed = fields.packed, packed.byteCount < bytesMin { return false }
    return fields.sorted.contains { $0.value?.isLarge(bytesMin) ?? false }
  }
}

extension FieldValue {
  /// Whether looking through this value takes longer than remembering what was found.
  func isLarge(_ bytesMin: Int) -> Bool {
    switch self {
    // They are small, and NaN would never be found again.
    case .double, .location: return false
    case .doubleList(let numbers) where numbers.contains(where: \.isNaN): return false
    default: break
    }
    // The members need not be looked at when there are many.
    return memberCount * 16 >= max(bytesMin, 1) || searchedBytes >= bytesMin
  }

  /// About how many bytes are looked through.
  var searchedBytes: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    case .stringList(let texts): texts.reduce(0) { $0 + $1.utf8.count + 16 }
    case .bytesList(let all): all.reduce(0) { $0 + $1.count + 16 }
    case .referenceList(let targets): targets.count * 64
    default: memberCount * 16
    }
  }
}
