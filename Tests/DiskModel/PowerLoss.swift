public import RandomSupport

/// What a disk keeps of what was not synced when the power fails.
public struct PowerLoss: Sendable {
  /// Which changes are kept.
  public enum Manner: Sendable, CaseIterable {
    /// None.
    case nothing
    /// All, as when only the process ends.
    case everything
    /// Those before a moment, in the order in which they were made.
    case prefix
    /// Any, whole or torn.
    case any
    /// Nearly all.
    case most
    /// Those after a moment.
    case suffix
  }

  /// What of a change reaches the disk as one.
  public static let sectorSizes = [512, 4096]

  /// Which changes are kept.
  public let manner: Manner
  /// What is written as one.
  public let sectorBytes: Int
  private var random: SplitMix64
  private let moment: Int

  /// A power loss.
  ///
  /// - Parameters:
  ///   - manner: Which changes are kept.
  ///   - sectorBytes: What is written as one.
  ///   - end: How many entries the journal has.
  ///   - random: Decides the rest.
  public init(_ manner: Manner, sectorBytes: Int, end: Int, random: SplitMix64) {
    self.manner = manner
    self.sectorBytes = sectorBytes
    self.random = random
    // Most of what is not durable is recent.
    let recent = min(end, 1 + self.random.below(max(1, self.random.oneIn(3) ? end : min(end, 60))))
    moment = end - recent
  }

  /// A power loss that keeps whatever comes up.
  public init(end: Int, random: inout SplitMix64) {
    self.init(
      random.pick(Manner.allCases),
      sectorBytes: random.pick(Self.sectorSizes),
      end: end,
      random: random.fork()
    )
  }

  mutating func keeps(_ number: Int) -> Bool {
    switch manner {
    case .nothing: false
    case .everything: true
    case .prefix: number <= moment
    case .suffix: number >= moment
    case .any: random.oneIn(2)
    case .most: !random.oneIn(8)
    }
  }

  /// Which bytes of a write that is kept reach the disk.
  mutating func keptParts(of count: Int, at offset: Int, number: Int) -> [Range<Int>] {
    let isTorn =
      switch manner {
      case .nothing, .everything: false
      case .prefix, .suffix: number == moment
      case .any, .most: random.oneIn(3)
      }
    guard isTorn else { return [0..<count] }
    var parts: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, (offset + start) / sectorBytes * sectorBytes + sectorBytes - offset)
      if random.oneIn(2) { parts.append(start..<end) }
      start = end
    }
    return parts
  }
}

extension PowerLoss: CustomStringConvertible {
  /// How to say what was kept.
  public var description: String { "\(manner), torn at \(sectorBytes)" }
}
