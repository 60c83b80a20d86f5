/// Searches for an order of steps that respects their times and explains what they found: the
/// algorithm of Wing and Gong, with the states that were visited remembered (Lowe).
///
/// A step may come next if no other step that is left ended before it began.
struct LinearSearch {
  enum Result: Hashable, Sendable {
    case linearizable
    /// Those that could not come next in the longest order found.
    case stuck([RegisterStep])
    /// Given up.
    case undecided
  }

  /// Most states that are visited for one record.
  static let nodesMax = 1_000_000

  private let steps: [RegisterStep]
  private let certainCount: Int
  private var visited: Set<Node> = []
  private var longest: Node?

  /// Which steps were ordered, and what the register contains after them.
  private struct Node: Hashable {
    var done: [UInt64]
    var content: Int64?
    var certainCount = 0
    /// All before it are done.
    var first = 0

    func contains(_ step: Int) -> Bool { done[step / 64] & (1 << UInt64(step % 64)) != 0 }

    mutating func add(_ step: Int, _ content: Int64?, isCertain: Bool) {
      done[step / 64] |= 1 << UInt64(step % 64)
      self.content = content
      if isCertain { certainCount += 1 }
    }
  }

  /// A search in steps that are in the order of their begin.
  init(_ steps: [RegisterStep]) {
    self.steps = steps
    certainCount = steps.count(where: \.isCertain)
  }

  /// Searches.
  mutating func run() -> Result {
    var stack = [Node(done: Array(repeating: 0, count: steps.count / 64 + 1), content: nil)]
    while let node = stack.popLast() {
      let node = withReads(node)
      if node.certainCount == certainCount { return .linearizable }
      guard visited.insert(node).inserted else { continue }
      guard visited.count <= Self.nodesMax else { return .undecided }
      if node.certainCount > (longest?.certainCount ?? -1) { longest = node }
      // What ends first is tried first, and what may never have happened last.
      let next = candidates(node).sorted { steps[$0].end > steps[$1].end }
      for step in next {
        guard let content = steps[step].applied(to: node.content) else { continue }
        var after = node
        after.add(step, content, isCertain: steps[step].isCertain)
        stack.append(after)
      }
    }
    return .stuck(longest.map { candidates($0).map { steps[$0] } } ?? steps)
  }

  /// Adds the reads that may come next: they change nothing, so sooner is never worse.
  private func withReads(_ node: Node) -> Node {
    var node = node
    while true {
      while node.first < steps.count, node.contains(node.first) { node.first += 1 }
      let reads = candidates(node).filter {
        steps[$0].isRead && steps[$0].applied(to: node.content) != nil
      }
      if reads.isEmpty { return node }
      for step in reads { node.add(step, node.content, isCertain: steps[step].isCertain) }
    }
  }

  private func candidates(_ node: Node) -> [Int] {
    var (found, end): ([Int], Int64) = ([], .max)
    for step in node.first..<steps.count where !node.contains(step) {
      if steps[step].begin > end { break }
      found.append(step)
      end = min(end, steps[step].end)
    }
    return found.filter { steps[$0].begin <= end }
  }
}
