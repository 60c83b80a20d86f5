internal import ConformanceWire
internal import Glibc
internal import TidingsProto
internal import TidingsProtobuf

/// One run of the client under test: a task in, a result out.
final class ClientProcess: Sendable {
  private let child: ChildProcess

  /// Starts the client.
  ///
  /// - Parameter command: For the shell.
  /// - Throws: When there is no shell.
  init(command: String) throws(ConformanceError) {
    child = try ChildProcess(["/bin/sh", "-c", command])
  }

  /// Ends the client.
  func end() async {
    let child = child
    await onBlockingThread { _ = child.end(gracefully: true) }
  }

  /// Has the client do something.
  ///
  /// - Parameters:
  ///   - action: What to do.
  ///   - milliseconds: How long it may take.
  /// - Returns: What came of it.
  /// - Throws: What it did instead; it is no longer there afterwards.
  func perform(
    _ action: TidingsConformanceV1.Task.Action,
    within milliseconds: Int
  ) async throws(ClientFault) -> TidingsConformanceV1.TaskResult.Outcome {
    let frame = TidingsConformanceV1.Task(action: action).encoded()
    let child = child
    let answer = await onBlockingThread { () -> Result<[UInt8], ClientFault> in
      do throws(ClientFault) {
        return .success(try Self.exchange(frame, child, milliseconds))
      } catch {
        // What cannot be trusted any more is not asked again.
        let ending = child.ending(withinMilliseconds: 0)
        child.end(gracefully: false)
        if case .ended = error, let ending { return .failure(.ended(ending)) }
        return .failure(error)
      }
    }
    do {
      let result = try TidingsConformanceV1.TaskResult(decoding: try answer.get())
      if let outcome = result.outcome { return outcome }
    } catch let error as ClientFault {
      throw error
    } catch {}
    child.end(gracefully: false)
    throw .junk("an answer that is no TaskResult with an outcome")
  }

  private static func exchange(
    _ frame: [UInt8],
    _ child: ChildProcess,
    _ milliseconds: Int
  ) throws(ClientFault) -> [UInt8] {
    let deadline = Deadline(milliseconds: milliseconds)
    if isReadable(child.output, withinMilliseconds: 0) {
      var byte: UInt8 = 0
      guard Glibc.read(child.output, &byte, 1) > 0 else { throw ended(child) }
      throw .junk("something that it was not asked for")
    }
    try write(FrameFile.length(of: frame) + frame, child, deadline)
    let length = FrameFile.length(try read(FrameFile.lengthBytes, child, deadline))
    guard length <= FrameFile.frameBytesMax else { throw .tooLarge(length) }
    return try read(length, child, deadline)
  }

  private static func write(
    _ bytes: [UInt8],
    _ child: ChildProcess,
    _ deadline: Deadline
  ) throws(ClientFault) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.write(child.input, $0.baseAddress, $0.count)
      }
      if count > 0 {
        sent += count
        continue
      }
      guard errno == EAGAIN || errno == EINTR else { throw ended(child) }
      var item = pollfd(fd: child.input, events: Int16(POLLOUT), revents: 0)
      guard let left = deadline.millisecondsLeft else { throw .silent(deadline.milliseconds) }
      poll(&item, 1, left)
    }
  }

  private static func read(
    _ count: Int,
    _ child: ChildProcess,
    _ deadline: Deadline
  ) throws(ClientFault) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 16))
    while bytes.count < count {
      guard let left = deadline.millisecondsLeft else { throw .silent(deadline.milliseconds) }
      guard isReadable(child.output, withinMilliseconds: left) else { continue }
      let more = Glibc.read(child.output, &chunk, min(chunk.count, count - bytes.count))
      if more < 0, errno == EAGAIN || errno == EINTR { continue }
      guard more > 0 else { throw ended(child) }
      bytes += chunk[..<more]
    }
    return bytes
  }

  private static func isReadable(_ file: CInt, withinMilliseconds milliseconds: CInt) -> Bool {
    var item = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, milliseconds) > 0
  }

  /// A program that closed its output gets a moment to exit.
  private static func ended(_ child: ChildProcess) -> ClientFault {
    .ended(child.ending(withinMilliseconds: 2_000) ?? "it closed its output")
  }
}

/// The end of a time.
private struct Deadline {
  let milliseconds: Int
  private let end: ContinuousClock.Instant

  init(milliseconds: Int) {
    self.milliseconds = milliseconds
    end = .now + .milliseconds(milliseconds)
  }

  /// What is left, a second at most; `nil`: it is over.
  var millisecondsLeft: CInt? {
    let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
    return left <= 0 ? nil : CInt(min(left.rounded(.up), 1_000))
  }
}
