public import TidingsRPC

/// A call that is followed until it ends, for the log or for a trace.
///
/// Most calls are not: it takes memory of its own. It is used on the loop's thread only.
public final class ObservedCall {
  /// What is called.
  public let method: MethodDescriptor
  /// What its client, or the gateway before it, calls the request; empty: nothing.
  public let requestID: String
  /// What the metadata entry `traceparent` says; empty: nothing.
  public let traceParent: String
  /// When it came, by the monotonic clock, in nanoseconds.
  public let started: Int64
  /// What it read or wrote.
  public var touched = TouchedCounts()
  /// How the store found what it asked for; `nil`: that is not known.
  public var plan: String?
  /// What a trace keeps of it.
  public var context: AnyObject?

  init(
    _ method: MethodDescriptor,
    requestID: String = "",
    traceParent: String = "",
    started: Int64
  ) {
    (self.method, self.requestID) = (method, requestID)
    (self.traceParent, self.started) = (traceParent, started)
  }
}

/// What a call read or wrote, in numbers.
public struct TouchedCounts: Hashable, Sendable {
  /// Zones that the call names.
  public var zones = 0
  /// Records that are in the answer.
  public var recordsRead = 0
  /// Records that were saved.
  public var recordsSaved = 0
  /// Records that were deleted.
  public var recordsDeleted = 0
  /// Bytes of the request.
  public var requestBytes = 0

  /// Nothing.
  public init() {}
}

/// What answered a call, and knows what that took.
public protocol CallSummarizing: AnyObject {
  /// Adds it to a call that is reported.
  func summarize(_ call: ObservedCall)
}

/// Which calls are followed, and who is notified of their ends.
public struct CallObservation {
  /// All of them.
  public var observesAll = false
  /// Those that carry an ID of their request or a trace.
  public var observesMarked = false
  /// Calls that take longer are reported though they were not followed, in nanoseconds.
  public var slowMin = UInt64.max
  /// Knows about the call that is being answered; `nil`: nobody does.
  public var summarizing: (any CallSummarizing)?
  /// Called when a call that was followed, or was slow, is answered.
  public var ended:
    ((_ call: ObservedCall, _ code: StatusCode, _ nanoseconds: UInt64, LoopContext) -> Void)?
  /// Called when a call begins that is followed.
  public var began: ((_ call: ObservedCall) -> Void)?

  /// Most calls that are followed at a time; others are not.
  static let countMax = 10_000

  var calls: [UInt32: ObservedCall] = [:]
  private var lastNumber: UInt32 = 0

  /// No call is followed.
  init() {}

  mutating func add(_ call: ObservedCall) -> UInt32 {
    guard calls.count < Self.countMax else { return 0 }
    repeat { lastNumber = lastNumber == .max ? 1 : lastNumber + 1 } while calls[lastNumber] != nil
    calls[lastNumber] = call
    return lastNumber
  }
}
