internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// What a call does to the store.
enum StoreAccess {
  /// It reads.
  case read
  /// It may write.
  case write
}

/// A call as the store's handlers see it: who calls, and with what.
struct StoreCall: ~Copyable {
  /// The memory of one call.
  final class Memory {
    let arena: Arena

    init(bytesMax: Int) { arena = Arena(capacityBytes: bytesMax) }
  }

  let caller: Caller
  /// The number of the key of the caller's connection; `nil` in development mode.
  let keyNumber: Int64?
  let body: UnsafeRawBufferPointer
  let loop: LoopContext
  /// What an earlier run of the handler left; `nil`: this is the first.
  var progress: (any CallProgress)?
  /// The memory of a call that pauses; others use the loop's, which is empty again after each turn.
  var memory: Memory?
  /// The number of the caller's connection; 0: it was not asked for.
  var connection: UInt64 = 0
  /// Where it is noted what the call reads and writes; `nil`: nobody asks.
  var observed: ObservedCall?
  /// It has an idempotency key: its answer will be stored for it.
  var hasKey = false

  var arena: Arena {
    _read { if let memory { yield memory.arena } else { yield loop.arena } }
  }
}

/// How the calls of a method are answered from the store; made once for each method.
final class Answering {
  /// Does what a call asks for.
  typealias Handler = (borrowing StoreCall) throws -> Outcome

  /// Makes of the first answer to a call, which its key repeats, what the caller may get now.
  typealias Repetition = (borrowing StoreCall, _ answer: [UInt8]) throws -> [UInt8]

  /// Lets the engine know what a call is going to read (`Engine.expect`): who calls, and the encoded request.
  typealias Expecting = (Caller, UnsafeRawBufferPointer, _ looksUp: Bool) -> Bool

  /// Whether answers are kept for idempotency keys.
  enum Keeping {
    /// While the caller has room for them.
    case whileThereIsRoom
    /// Unless its handler requires room, which deletions do not: with them the caller makes room.
    case unlessRefused
    /// Not: a repetition does no harm, and the calls are more frequent than answers are worth.
    case never
  }

  let handler: Handler
  let repeating: Repetition
  let keeping: Keeping
  /// Answers it on a reader thread instead, while another call has the store.
  let reading: ReadDispatch.MakeAnswer?
  /// Called before the group of the call begins, if the store is remote.
  let expecting: Expecting?

  init(
    repeating: @escaping Repetition = { $1 },
    keeping: Keeping = .whileThereIsRoom,
    reading: ReadDispatch.MakeAnswer? = nil,
    expecting: Expecting? = nil,
    handler: @escaping Handler
  ) {
    (self.handler, self.repeating, self.keeping) = (handler, repeating, keeping)
    (self.reading, self.expecting) = (reading, expecting)
  }
}
