/// The part of a turn in which something is published, in pieces; what is left follows in the next turn.
///
/// A turn has one for all that is published in it.
struct PublicationShare {
  /// Events, numbers or timers of a piece: between two of them the share does not end.
  static let pieceMax = 16
  /// How long pieces are begun.
  static let duration = Duration.milliseconds(1)

  /// When the turn began.
  let turn: ContinuousClock.Instant
  private let end: ContinuousClock.Instant

  /// A share that begins now, of a turn that began at a time.
  init(of turn: ContinuousClock.Instant) {
    self.turn = turn
    end = .now.advanced(by: Self.duration)
  }

  /// Whether another piece may begin.
  var isOpen: Bool { .now < end }
}
