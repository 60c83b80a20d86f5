/// A time on the store's own scale: milliseconds since 1970 as long as nobody sets the system's clock,
/// and never set itself.
///
/// All that lasts is measured on it: leases, retention, cursors. What users see has a `Timestamp`.
public struct SteadyTime: Hashable, Comparable, Sendable {
  /// Milliseconds on the store's scale.
  public var milliseconds: Int64

  /// A time from its number.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The time so much later.
  public func advanced(by duration: Duration) -> Self {
    Self(milliseconds: milliseconds + duration.milliseconds)
  }

  /// The time so many minutes before.
  func earlier(byMinutes minutes: Int) -> Self {
    Self(milliseconds: milliseconds - Int64(minutes) * 60_000)
  }

  /// The time so many hours before.
  public func earlier(byHours hours: Int) -> Self { earlier(byMinutes: hours * 60) }

  /// Earlier is less.
  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}
