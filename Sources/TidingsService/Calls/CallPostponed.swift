internal import TidingsZeroMQ

/// A handler cannot answer yet, and is to be run again.
struct CallPostponed: Error {
  /// When.
  enum Cause {
    /// When this is done, on another thread, with the encoded request.
    case computing(@Sendable (_ body: KeptBody, ReadSlice) -> Bool)
    /// In another turn: a piece of the call is written.
    case nextTurn
    /// On a reader thread.
    case reading
    /// When it may have the store for itself, and pause (`Pace`): nothing of it is written.
    case alone
  }

  let cause: Cause
  /// What the next run goes on from.
  let progress: (any CallProgress)?
}

/// What a call keeps between the runs of its handler: they share it with the work between them, and never
/// touch it at the same time.
///
/// A run does not change what it goes on from, since it may be rolled back and made again.
protocol CallProgress: AnyObject, Sendable {
  /// A part of the call is durable.
  var hasWritten: Bool { get }
}

extension CallProgress {
  var hasWritten: Bool { false }
}
