internal import TidingsZeroMQ

/// The calls that take long, one of which has the store, and what waits for the store meanwhile.
///
/// A value without clock or loop: each that waits for the store has its turn before the next long call begins.
struct LongCalls<Line: Hashable, Call> {
  /// What waits for the store.
  enum Waiting {
    /// A call that came meanwhile.
    case call(Call, of: Line, bytes: Int)
    /// Something to be done on the loop.
    case work((LoopContext) -> Void)
  }

  /// What may wait for the store.
  struct Bounds {
    var countMax: Int
    var bytesMax: Int
  }

  private let bounds: Bounds
  private var queue: [Line] = []
  private var waiting: [Waiting] = []
  private var nextWaiting = 0
  private var bytes = 0
  private var countByLine: [Line: Int] = [:]

  /// Nothing takes long.
  init(_ bounds: Bounds) { self.bounds = bounds }

  /// How many wait for the store.
  var waitingCount: Int { waiting.count - nextWaiting }

  /// Something waits for the store.
  var isAnyWaiting: Bool { nextWaiting < waiting.count }

  /// A call that takes long waits for its turn.
  var isAnyLong: Bool { !queue.isEmpty }

  /// A call of this line waits for the store: others keep behind it.
  func isWaiting(_ line: Line) -> Bool { countByLine[line] != nil }

  /// The call of a line takes long, and begins when it is its turn.
  mutating func add(_ line: Line) { queue.append(line) }

  /// Takes the next call that takes long.
  ///
  /// - Parameter isItsTurn: It does not go behind others.
  /// - Returns: Its line; `nil`: there is none, or others have their turns first.
  mutating func takeNext(isItsTurn: Bool = false) -> Line? {
    guard isItsTurn || !isAnyWaiting, !queue.isEmpty else { return nil }
    return queue.removeFirst()
  }

  /// A call waits until nobody has the store.
  ///
  /// - Returns: `false` when too much waits.
  mutating func hold(_ call: Call, of line: Line, bytes callBytes: Int) -> Bool {
    guard waiting.count - nextWaiting < bounds.countMax, callBytes <= bounds.bytesMax - bytes else {
      return false
    }
    bytes += callBytes
    countByLine[line, default: 0] += 1
    waiting.append(.call(call, of: line, bytes: callBytes))
    return true
  }

  /// Work of the server itself waits until nobody has the store.
  mutating func hold(_ work: @escaping (LoopContext) -> Void) { waiting.append(.work(work)) }

  /// What was taken waits again, before everything else; it is not refused.
  mutating func putBack(_ taken: [Waiting]) {
    waiting.replaceSubrange(..<nextWaiting, with: taken)
    nextWaiting = 0
    for case .call(_, let line, let callBytes) in taken {
      bytes += callBytes
      countByLine[line, default: 0] += 1
    }
  }

  /// What has waited longest.
  mutating func takeWaiting() -> Waiting? {
    guard isAnyWaiting else { return nil }
    let first = waiting[nextWaiting]
    nextWaiting += 1
    if nextWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      nextWaiting = 0
    }
    if case .call(_, let line, let callBytes) = first {
      bytes -= callBytes
      let count = countByLine[line, default: 1] - 1
      countByLine[line] = count == 0 ? nil : count
    }
    return first
  }
}
