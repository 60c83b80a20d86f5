#if canImport(Glibc)
internal import Glibc
#endif

/// Why calls of about the same duration took that long, for a report on the slowest of any part.
struct SoakCauses: Sendable {
  /// How many calls of a duration there were, and how many of them each cause explains.
  private struct Bucket {
    var calls = 0
    var causes: [SoakEvidence.Cause: Int] = [:]
  }

  /// By the duration, in steps of a fifth.
  private var buckets: [Int: Bucket] = [:]

  mutating func note(_ causes: [SoakEvidence.Cause], of milliseconds: Double) {
    let key = Self.key(of: milliseconds)
    buckets[key, default: Bucket()].calls += 1
    for cause in causes { buckets[key, default: Bucket()].causes[cause, default: 0] += 1 }
  }

  /// Which part of the calls that took so long or longer each cause explains, the greatest first.
  func shares(from milliseconds: Double) -> [SoakShare] {
    let least = Self.key(of: milliseconds)
    let slow = buckets.filter { $0.key >= least }.values
    let calls = slow.reduce(0) { $0 + $1.calls }
    guard calls > 0 else { return [] }
    let causes = slow.reduce(into: [:]) { $0.merge($1.causes, uniquingKeysWith: +) }
    return causes.map { SoakShare(cause: $0.key, part: Double($0.value) / Double(calls)) }
      .sorted { ($1.part, $0.cause.rawValue) < ($0.part, $1.cause.rawValue) }
  }

  private static func key(of milliseconds: Double) -> Int {
    Int((log2(max(milliseconds, 0.001)) * 4).rounded(.down))
  }
}

/// Which part of some calls a cause explains; one call can have several.
public struct SoakShare: Codable, Hashable, Sendable {
  /// The cause.
  public var cause: SoakEvidence.Cause
  /// From 0 to 1.
  public var part: Double

  /// A share from its parts.
  public init(cause: SoakEvidence.Cause, part: Double) { (self.cause, self.part) = (cause, part) }
}
