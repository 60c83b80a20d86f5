/// What one call does to a register, and when it may do it.
struct RegisterStep: Hashable, Sendable {
  /// The effect; `nil` in a value: there is no record.
  enum Effect: Hashable, Sendable {
    /// The register contains this.
    case found(Int64?)
    /// The register does not contain this.
    case differs(from: Int64?)
    /// From now on it contains this.
    case set(Int64?)
    /// It contains the first, and from now on the second.
    case swap(Int64?, Int64)
  }

  /// The position of the call in the history.
  let index: Int
  let begin: Int64
  /// The largest number, if nobody knows whether and when.
  let end: Int64
  let effect: Effect

  var isCertain: Bool { end != .max }
  var isRead: Bool {
    switch effect {
    case .found, .differs: true
    case .set, .swap: false
    }
  }

  /// The content after this step; `nil`: it cannot come next.
  func applied(to content: Int64?) -> Int64?? {
    switch effect {
    case .found(let value): content == value ? .some(content) : nil
    case .differs(let value): content != value ? .some(content) : nil
    case .set(let value): .some(value)
    case .swap(let value, let new): content == value ? .some(new) : nil
    }
  }

  /// The steps of the calls of one record, in the order of their begin.
  static func steps(of calls: [Call]) -> [RegisterStep] {
    let steps = calls.indices.compactMap { index in
      effect(of: calls[index]).map { effect in
        RegisterStep(
          index: index,
          begin: calls[index].begin,
          end: calls[index].outcome == .unknown ? .max : calls[index].end,
          effect: effect
        )
      }
    }
    return withoutUnseen(steps).sorted { $0.begin < $1.begin }
  }

  private static func effect(of call: Call) -> Effect? {
    switch (call.kind, call.outcome) {
    case (.read, .ok): return .found(call.got.first?.value)
    case (.write, .ok), (.write, .unknown): return .set(call.sent.last?.value)
    case (.delete, .ok), (.delete, .unknown): return .set(nil)
    case (.swap, .ok), (.swap, .unknown):
      guard let new = call.sent.last?.value else { return nil }
      return .swap(call.sent.first?.value, new)
    case (.swap, .failed) where call.reason == Call.conflict:
      return call.got.first.map { .found($0.value) } ?? .differs(from: call.sent.first?.value)
    default: return nil
    }
  }

  /// Drops what may never have happened, and what nobody has seen: it explains nothing.
  private static func withoutUnseen(_ steps: [RegisterStep]) -> [RegisterStep] {
    var seen: Set<Int64> = []
    for step in steps {
      switch step.effect {
      case .found(let value), .swap(let value, _): if let value { seen.insert(value) }
      case .differs: return steps
      case .set: break
      }
    }
    return steps.filter { step in
      switch step.effect {
      case .set(let value?), .swap(_, let value): step.isCertain || seen.contains(value)
      case .set(nil), .found, .differs: true
      }
    }
  }
}

extension Call {
  /// The reason of a save that failed because another version is stored.
  package static let conflict = "another version is stored"
}

extension Call {
  /// The manner of a save that has an idempotency key.
  package static let keyed = "keyed"
}
