/// Something that a history shows and that must not happen.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// What, in a sentence.
  package var what: String
  /// The calls that show it.
  package var calls: [Call]
  /// The search was given up, so that neither is known.
  package var isUndecided = false

  /// Most calls that are shown of one violation.
  private static let callsMax = 12

  package init(_ what: String, _ calls: [Call] = [], isUndecided: Bool = false) {
    self.what = what
    self.calls = calls
    self.isUndecided = isUndecided
  }

  package var description: String {
    let lines = calls.prefix(Self.callsMax).map { "  \($0)" }
    let rest = calls.count > lines.count ? ["  and \(calls.count - lines.count) more"] : []
    return ([what] + lines + rest).joined(separator: "\n")
  }
}
