/// When free pages of a database file are given back to the file system: a pure value.
///
/// Later writes use free pages before the file grows, so some of them stay. While their number rises, something is
/// being removed, and pages that would be moved now may be removed next.
public struct FreePageSchedule: Sendable {
  /// What to do after a look at the file.
  public enum Step: Hashable, Sendable {
    /// Look again after this time, at the latest.
    case wait(Duration)
    /// Give a piece back, and look again after `pause`.
    case release
  }

  /// Between two pieces: callers have their turns, and pieces are a small part of what is written.
  public static let pause = Duration.milliseconds(10)
  /// Between two looks at a file whose free pages are not given back.
  public static let lookInterval = Duration.seconds(1)
  /// Between two looks at a file that has few free pages.
  public static let idleInterval = Duration.seconds(60)
  /// Free pages that a file may have whatever its size: 4 MiB.
  private static let keptMin = 1_024
  /// The part of a larger file that may be free.
  private static let keptDivisor = 8

  /// Pieces are being given back.
  public private(set) var isReleasing = false
  private var previousFree = 0

  /// A file that was not looked at yet.
  public init() {}

  /// How many free pages a file of so many pages may have before some are given back.
  public static func keptMax(of pages: Int) -> Int { max(keptMin, pages / keptDivisor) }

  /// Decides what comes next.
  ///
  /// - Parameters:
  ///   - free: Free pages.
  ///   - pages: All pages.
  /// - Returns: The step.
  public mutating func next(free: Int, of pages: Int) -> Step {
    defer { previousFree = free }
    let limit = Self.keptMax(of: pages)
    // Once begun it goes on for a while, so that it does not begin again with each removed record.
    guard free > (isReleasing ? limit / 2 : limit) else {
      isReleasing = false
      return .wait(Self.idleInterval)
    }
    guard free <= previousFree || free > pages / 2 && isReleasing else {
      return .wait(Self.lookInterval)
    }
    isReleasing = true
    return .release
  }
}
