/// The newest change of each share that a user has accepted, or of which a client knows: what a token of
/// the shared database says, and what a call waits to see moved.
struct SharedHeads: Hashable {
  /// The number of the zone of the share, by the share's number.
  var heads: [Int64: Int64] = [:]

  /// The numbers for a token.
  var numbers: [Int64] { heads.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } }
}

extension SharedHeads {
  /// Heads from a token's numbers; `nil` when they are none.
  init?(_ numbers: [Int64]) {
    guard numbers.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: numbers.count, by: 2) {
      guard heads.updateValue(numbers[index + 1], forKey: numbers[index]) == nil else {
        return nil
      }
    }
  }
}
