import CheckCore

extension Call {
  /// A call by hand.
  init(
    _ kind: Kind,
    _ subject: String = "",
    _ process: Int = 1,
    at times: ClosedRange<Int64>,
    sent: [Version] = [],
    got: [Version] = [],
    _ outcome: Outcome = .ok,
    reason: String = "",
    manner: String = "",
    notices: [Notice] = []
  ) {
    self.init(kind, subject)
    self.process = process
    (begin, end) = (times.lowerBound, times.upperBound)
    (self.sent, self.got, self.outcome, self.reason) = (sent, got, outcome, reason)
    (self.manner, self.notices) = (manner, notices)
  }
}

extension [Violation] {
  /// What they are, for comparisons.
  var text: String { map(\.what).joined(separator: "; ") }
}
