/// Which of a database's logs it is: SQLite begins a new one in the same file each time that all of the
/// last one was moved.
public struct LogID: Hashable, Sendable {
  /// Goes up by one with each new log.
  public var checkpoint: UInt32
  /// Goes up by one with each new log, from a random number.
  public var salt1: UInt32
  /// Random.
  public var salt2: UInt32

  /// Which log it is.
  public init(checkpoint: UInt32, salt1: UInt32, salt2: UInt32) {
    self.checkpoint = checkpoint
    self.salt1 = salt1
    self.salt2 = salt2
  }

  /// Whether a log was begun in the same file after another one: all of that was moved before.
  public func follows(_ earlier: LogID) -> Bool {
    let steps = checkpoint &- earlier.checkpoint
    // Half of the numbers are later, the others earlier.
    return steps > 0 && steps < 1 << 31 && salt1 &- earlier.salt1 == steps
  }
}

/// The end of a commit in the log.
public struct LogPosition: Hashable, Sendable {
  /// The log.
  public var log: LogID
  /// Frames in it, those of the commit included.
  public var frames: UInt32

  /// A position.
  public init(log: LogID, frames: UInt32) {
    self.log = log
    self.frames = frames
  }
}
