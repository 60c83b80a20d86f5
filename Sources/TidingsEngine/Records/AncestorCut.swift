internal import TidingsModel

/// The newest superseded version, and the bytes of all that ever were.
struct AncestorExtent {
  private(set) var newest: Int64
  private(set) var total: Int64

  /// The number of the next version.
  mutating func append(bytes: Int) -> Int64 {
    newest += 1
    total += Int64(bytes)
    return newest
  }
}

/// How far superseded versions are forgotten at once: shown one after the other, oldest first, it says
/// which of them go.
struct AncestorCut {
  /// The oldest one that stays; `nil`: all do.
  private(set) var firstKept: Int64?
  /// It ended because it was large enough: there may be more to forget.
  private(set) var isFull = false

  private let extent: AncestorExtent
  private let limits: Limits
  private let oldest: SteadyTime
  private let bytesMax: Int64
  private var start: Int64?

  /// - Parameters:
  ///   - extent: The versions.
  ///   - limits: How many are kept, and how long.
  ///   - now: The time.
  ///   - bytesMax: Most bytes forgotten at once.
  init(_ extent: AncestorExtent, limits: Limits, now: SteadyTime, bytesMax: Int64) {
    self.extent = extent
    self.limits = limits
    self.bytesMax = bytesMax
    oldest = now.earlier(byHours: limits.ancestorRetentionHours)
  }

  /// Looks at the next version.
  ///
  /// - Returns: Whether it goes; after the first that stays, all stay.
  mutating func forgets(_ id: Int64, replaced: SteadyTime, total: Int64) -> Bool {
    guard id < extent.newest else { return false }
    let isTooMany =
      extent.newest - id >= limits.ancestorsMax || extent.total - total >= limits.ancestorBytesMax
    guard isTooMany || replaced < oldest else { return false }
    let begin = start ?? total
    start = begin
    firstKept = id + 1
    isFull = total - begin >= bytesMax
    return !isFull
  }
}
