/// How many messages a stream may send before its client grants more.
package struct CreditWindow: Equatable, Sendable {
  /// Messages that may be sent now.
  package private(set) var open: Int

  /// A window as a client's header opens it; 0 counts as the default.
  package init(requested: UInt32) {
    open = requested == 0 ? WireLimits.creditDefault : 0
    grant(Int(requested))
  }

  /// Uses one credit, if there is one.
  package mutating func take() -> Bool {
    guard open > 0 else { return false }
    open -= 1
    return true
  }

  /// Adds credit, up to what may stand open.
  package mutating func grant(_ count: Int) {
    open = min(open + min(count, WireLimits.creditMax), WireLimits.creditMax)
  }
}
