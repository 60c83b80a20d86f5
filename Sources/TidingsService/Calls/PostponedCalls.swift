/// Calls that are run again later, and behind each of them the calls that came after it on the same line: they
/// keep their order.
///
/// A value without clock or loop.
struct PostponedCalls<Line: Hashable, Call> {
  /// What may be held.
  struct Bounds {
    var countMax: Int
    var bytesMax: Int
    var countPerLineMax: Int
  }

  private struct Held {
    /// The one that is run again.
    var first: Call
    var firstBytes: Int
    var behind: [(call: Call, bytes: Int)] = []
  }

  private let bounds: Bounds
  private var lines: [Line: Held] = [:]
  private(set) var count = 0
  private var bytes = 0

  /// Nothing is postponed.
  init(_ bounds: Bounds) { self.bounds = bounds }

  /// No call is held.
  var isEmpty: Bool { lines.isEmpty }

  /// A call of this line is postponed: others have to wait behind it.
  func holds(_ line: Line) -> Bool { lines[line] != nil }

  /// The postponed call of a line.
  func first(of line: Line) -> Call? { lines[line]?.first }

  /// Postpones the first call of a line.
  ///
  /// - Returns: `false` when too much is held.
  mutating func postpone(_ call: Call, bytes callBytes: Int, of line: Line) -> Bool {
    precondition(lines[line] == nil, "a call overtook a postponed one")
    guard hasRoom(callBytes) else { return false }
    lines[line] = Held(first: call, firstBytes: callBytes)
    count += 1
    bytes += callBytes
    return true
  }

  /// The postponed call of a line is postponed again.
  mutating func replaceFirst(with call: Call, of line: Line) { lines[line]?.first = call }

  /// Lets a call wait behind the postponed one.
  ///
  /// - Returns: `false` when too much is held.
  mutating func hold(_ call: Call, bytes callBytes: Int, of line: Line) -> Bool {
    guard hasRoom(callBytes), var held = lines.removeValue(forKey: line) else { return false }
    defer { lines[line] = held }
    guard held.behind.count < bounds.countPerLineMax else { return false }
    held.behind.append((call, callBytes))
    count += 1
    bytes += callBytes
    return true
  }

  /// The postponed call of a line is answered.
  ///
  /// - Returns: The next one, which is the first now; `nil`: there is none, and the line is free.
  mutating func finishFirst(of line: Line) -> Call? {
    guard var held = lines.removeValue(forKey: line) else { return nil }
    count -= 1
    bytes -= held.firstBytes
    guard !held.behind.isEmpty else { return nil }
    (held.first, held.firstBytes) = held.behind.removeFirst()
    lines[line] = held
    return held.first
  }

  /// Removes all calls.
  mutating func takeAll() -> [Call] {
    defer { (lines, count, bytes) = ([:], 0, 0) }
    return lines.values.flatMap { [$0.first] + $0.behind.map(\.call) }
  }

  private func hasRoom(_ callBytes: Int) -> Bool {
    count < bounds.countMax && callBytes <= bounds.bytesMax - bytes
  }
}
