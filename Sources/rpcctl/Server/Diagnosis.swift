internal import TidingsJSON

/// What one check found.
struct Diagnosis: Hashable, Sendable {
  /// How bad it is.
  enum Result: String, Sendable {
    case ok
    case warning
    case problem
    /// It could not be looked at.
    case skipped
  }

  /// What was looked at: `clock`.
  let check: String
  let result: Result
  /// What was found.
  let found: String
  /// What to do about it; empty for what is in order.
  var advice = ""

  static func ok(_ check: String, _ found: String) -> Self {
    Self(check: check, result: .ok, found: found)
  }

  static func warning(_ check: String, _ found: String, _ advice: String) -> Self {
    Self(check: check, result: .warning, found: found, advice: advice)
  }

  static func problem(_ check: String, _ found: String, _ advice: String) -> Self {
    Self(check: check, result: .problem, found: found, advice: advice)
  }

  static func skipped(_ check: String, _ found: String) -> Self {
    Self(check: check, result: .skipped, found: found)
  }

  /// For programs.
  var json: JSONValue {
    .omittingNil([
      "check": .string(check), "result": .string(result.rawValue), "found": .string(found),
      "advice": advice.isEmpty ? nil : .string(advice),
    ])
  }

  /// For people: the check, its result, what was found, and under it what to do.
  var text: String {
    let head = "\(result.rawValue.padded(to: 8)) \(check.padded(to: 12)) \(found)\n"
    return advice.isEmpty ? head : head + String(repeating: " ", count: 22) + "→ \(advice)\n"
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
