/// How far a client has read back, newest first, in a zone of which others share something with the user.
enum SharedNewestPosition: Hashable {
  /// In a zone that is shared as a whole, by that share: the position in its owner's feed.
  case zone(share: Int64, NewestFirstPosition)
  /// In shares of records with their descendants.
  case records(SharedRecordsBack)

  /// The shares that the client reads.
  var shares: Set<Int64> {
    switch self {
    case .zone(let share, _): [share]
    case .records(let position): Set(position.bases.keys)
    }
  }

  /// The numbers for a token.
  var numbers: [Int64] {
    switch self {
    case .zone(let share, let position): [Kind.zone, share] + position.numbers
    case .records(let position):
      [Kind.records] + position.reached.numbers
        + SharedZonePosition.records(position.bases).numbers
    }
  }

  private enum Kind {
    static let records: Int64 = 0
    static let zone: Int64 = 1
  }
}

extension SharedNewestPosition {
  /// A position from a token's numbers; `nil` when they are none.
  init?(_ numbers: [Int64]) {
    var rest = numbers[...]
    switch rest.popFirst() {
    case Kind.zone:
      guard let share = rest.popFirst(), let position = NewestFirstPosition(rest) else {
        return nil
      }
      self = .zone(share: share, position)
    case Kind.records:
      guard let reached = SharedPosition(from: &rest),
        case .records(let bases)? = SharedZonePosition(Array(rest))
      else { return nil }
      self = .records(SharedRecordsBack(bases: bases, reached: reached))
    default: return nil
    }
  }
}

/// How far a client has read back in several shares of a zone, which are read as one list.
struct SharedRecordsBack: Hashable {
  /// Where the client ends in each share: what it had before it began to read back.
  let bases: [Int64: SharedPosition]
  /// The client has everything from this number and name on.
  var reached: SharedPosition

  /// A position behind the newest change.
  init(downTo bases: [Int64: SharedPosition], head: Int64) {
    self.init(bases: bases, reached: SharedPosition(sequence: head + 1))
  }

  init(bases: [Int64: SharedPosition], reached: SharedPosition) {
    (self.bases, self.reached) = (bases, reached)
  }

  /// The client had a change before it began.
  func isKnown(_ row: SharedRow) -> Bool {
    guard let base = bases[row.share] else { return true }
    guard row.changed == base.sequence, let name = base.name else {
      return row.changed <= base.sequence
    }
    return row.name <= name
  }
}
