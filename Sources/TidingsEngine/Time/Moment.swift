public import TidingsModel

/// When a transaction happens: by the clock on the wall, and by how much time passed.
public struct Moment: Hashable, Sendable {
  /// What users see, and what decides on dates that an administrator chose.
  ///
  /// It may go back.
  public var timeOfDay: Timestamp
  /// What durations are measured with, which never goes back.
  public var steady: SteadyTime

  /// A moment from its two times.
  public init(timeOfDay: Timestamp, steady: SteadyTime) {
    self.timeOfDay = timeOfDay
    self.steady = steady
  }
}
