/// How far a client has read in a zone of which others share something with the user: a position for
/// each share that the client has begun to read.
enum SharedZonePosition: Hashable {
  /// In a zone that is shared as a whole, by that share: the position of its owner's feed.
  case zone(share: Int64, FeedPosition)
  /// In shares of records with their descendants, by their numbers.
  case records([Int64: SharedPosition])

  /// The shares that the client knows of.
  var shares: Set<Int64> {
    switch self {
    case .zone(let share, _): [share]
    case .records(let positions): Set(positions.keys)
    }
  }

  /// The numbers for a token.
  var numbers: [Int64] {
    switch self {
    case .zone(let share, let position): [Kind.zone, share] + position.numbers
    case .records(let positions):
      [Kind.records]
        + positions.sorted { $0.key < $1.key }.flatMap { [$0.key] + $0.value.numbers }
    }
  }

  private enum Kind {
    static let records: Int64 = 0
    static let zone: Int64 = 1
  }
}

extension SharedZonePosition {
  /// A position from a token's numbers; `nil` when they are none.
  init?(_ numbers: [Int64]) {
    var rest = numbers[...]
    switch rest.popFirst() {
    case Kind.zone:
      guard let share = rest.popFirst(), let position = FeedPosition(rest) else { return nil }
      self = .zone(share: share, position)
    case Kind.records:
      var positions: [Int64: SharedPosition] = [:]
      while let share = rest.popFirst() {
        guard let position = SharedPosition(from: &rest) else { return nil }
        positions[share] = position
      }
      self = .records(positions)
    default: return nil
    }
  }
}
