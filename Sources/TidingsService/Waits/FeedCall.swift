internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// What a reader thread found for a caller who may wait.
struct FeedAnswer: Sendable {
  /// The encoded response.
  let body: [UInt8]
  /// What to wait for before it is sent; `nil`: send it.
  let watch: FeedWatch?
  /// How long the caller would wait; zero: not at all.
  let wait: Duration
}

/// A call that reads a feed, and may wait for something to be in it.
struct FeedCall: Sendable {
  /// Reads the feed on a reader thread.
  typealias Handler =
    @Sendable (StoreReader, Caller, _ body: UnsafeRawBufferPointer) throws -> FeedAnswer

  var token: ReplyToken
  let caller: Caller
  /// Whose turn it takes.
  let key: CallerKey
  /// The number of the key of the caller's connection; `nil` in development mode.
  let keyNumber: Int64?
  let body: KeptBody
  let deadline: ContinuousClock.Instant?
  let handler: Handler
  /// When it stops waiting; `nil`: it has not begun.
  var end: ContinuousClock.Instant?
  /// The answer when nothing comes.
  var answer: [UInt8] = []
  /// It was woken, and counts among those that run again.
  var isRerun = false
  /// Since when it waits, if that is recorded, in nanoseconds since 1970.
  var waitBegan: Int64?
  /// The recorded calls of the group that woke it.
  var wokenBy: [TraceContext] = []
}
