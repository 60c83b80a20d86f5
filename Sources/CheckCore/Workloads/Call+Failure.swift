internal import TidingsProto

extension Call {
  /// Notes that nothing was done.
  mutating func fail(_ reason: String) {
    outcome = .failed
    self.reason = reason
  }

  /// Notes that nothing was done, because of an error of an item.
  mutating func fail(_ error: TidingsV1.ItemError) { fail("\(error.code): \(error.message)") }
}
