/// How a call that changes much lets others have their turns: it pauses between its steps where it can; else it is
/// given up before it wrote anything, and begun again where it can.
public final class Pace {
  /// Ends or goes on with the turn of the call at hand, between two of its steps; `nil`: it cannot pause.
  ///
  /// Unchecked, like the others: a plain value, on the thread of the calls.
  @exclusivity(unchecked) public var pause: (() -> Void)?
  /// Calls that take long and cannot pause are given up; where nobody waits meanwhile, they need not be.
  @exclusivity(unchecked) public var givesUpLongCalls = false
  /// When a call that cannot pause has taken too long.
  @exclusivity(unchecked) private var end: ContinuousClock.Instant?
  private let costMax: Int
  private let timeMax: Duration

  /// - Parameter costMax: What a call may cost that cannot pause, in about so many microseconds of processor
  ///   time.
  init(costMax: Int) {
    self.costMax = costMax
    timeMax = .microseconds(costMax * 2 / 3)
  }

  /// Refuses to begin what takes long by its nature where it cannot pause.
  ///
  /// - Throws: `LongCall`.
  public func requirePauses() throws(LongCall) {
    if givesUpLongCalls, pause == nil { throw LongCall() }
  }

  /// A call is about to be decided.
  ///
  /// - Parameter isShort: It is not worth a look at the clock.
  public func begin(isShort: Bool = true) {
    end = isShort || pause != nil ? nil : .now.advanced(by: timeMax)
  }

  /// A step is done; something may be written already.
  @inline(__always)
  public func step() { pause?() }

  /// A step is done, and nothing is written yet.
  ///
  /// - Throws: `LongCall` when the call has taken too long, and cannot pause.
  public func decisionStep() throws(LongCall) {
    if let pause { return pause() }
    guard givesUpLongCalls else { return }
    let now = ContinuousClock.now
    guard let end else {
      end = now.advanced(by: timeMax)
      return
    }
    if end < now { throw LongCall() }
  }

  /// A look at the store is done, and nothing is written yet, if the call may be given up.
  ///
  /// - Throws: As `decisionStep`.
  func lookStep(mayGiveUp: Bool) throws(LongCall) {
    if mayGiveUp { try decisionStep() } else { step() }
  }

  /// All is decided, and nothing is written yet.
  ///
  /// - Parameter cost: What it will take to write it, in about so many microseconds.
  /// - Throws: `LongCall` when that is too long for a call that cannot pause.
  func check(cost: Int) throws(LongCall) {
    if cost > costMax, givesUpLongCalls, pause == nil { throw LongCall() }
  }
}

/// A call takes long, and has changed nothing that users see: it is to be made again with `Pace.pause`.
///
/// Assets that deletions left may have been given up meanwhile, because there was no room.
public struct LongCall: Error {
  package init() {}
}
