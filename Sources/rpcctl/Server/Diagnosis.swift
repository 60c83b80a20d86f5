internal import TidingsJSON

/// The result of one check.
struct Diagnosis: Hashable, Sendable {
  /// The severity.
  enum Result: String, Sendable {
    case ok
    case warning
    case problem
    /// The check was not possible.
    case skipped
  }

  /// The name of the check: `clock`.
  let check: String
  let result: Result
  /// The finding.
  let found: String
  /// What to do about it; empty if all is well.
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

  /// The diagnosis as JSON.
  var json: JSONValue {
    .omittingNil([
      "check": .string(check), "result": .string(result.rawValue), "found": .string(found),
      "advice": advice.isEmpty ? nil : .string(advice),
    ])
  }

  /// The diagnosis as text: result, check and finding, and the advice on a second line.
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
