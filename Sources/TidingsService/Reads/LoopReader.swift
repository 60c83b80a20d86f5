internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// Answers on the loop what is quick, without handing it to a thread and back: with a read connection of
/// its own, which sees what was acknowledged before.
///
/// An answer says itself whether it is quick. It is worked on for one short slice; what that does not
/// finish goes on on a reader thread.
final class LoopReader {
  /// A part of what a turn handles calls for.
  private static let slice = Duration.microseconds(500)

  private let open: () throws -> StoreReader
  private var reader: StoreReader?

  /// Reads with what `open` opens for the first answer.
  init(opening open: @escaping () throws -> StoreReader) { self.open = open }

  /// Works on an answer for one short slice; `nil`: it is not quick, needs another one, or the log is being restarted.
  func advance(
    _ answer: any SlicedAnswer,
    until deadline: ContinuousClock.Instant?
  ) throws -> [UInt8]? {
    try read(until: deadline) {
      try answer.advance($0, ReadSlice(end: .now.advanced(by: Self.slice), effort: .brief))
    }
  }

  /// Reads what is quick; `nil`: it is not, or the log is being restarted.
  func read<Output>(
    until deadline: ContinuousClock.Instant?,
    _ work: (StoreReader) throws -> Output?
  ) throws -> Output? {
    let reader = try self.reader ?? open()
    self.reader = reader
    do {
      return try reader.withSnapshotAtOnce(until: deadline, worked: .zero, work) ?? nil
    } catch {
      reader.failures.note(error, in: "a call that reads")
      throw error
    }
  }

  /// Closes the connection.
  func stop() { reader = nil }
}
