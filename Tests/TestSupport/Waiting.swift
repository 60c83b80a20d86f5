internal import Foundation

/// Waits until a condition holds, by looking at it again and again.
///
/// For what nothing reports, such as rows of a database or files of a server; what reports itself is waited for
/// with `Observed`.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - pause: How long to wait between two looks.
///   - deadline: When to stop waiting, which only ends a wait that would last without end.
///   - condition: Looks, and may do something each time.
/// - Throws: `WaitingFailure` after the deadline, and what the condition throws.
public func waitUntil(
  _ what: String,
  pausing pause: Duration = .milliseconds(10),
  for deadline: Duration = .seconds(300),
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + deadline
  while try await !condition() {
    guard ContinuousClock.now < end else {
      throw WaitingFailure(description: "waited \(deadline) for: \(what)")
    }
    // Between two looks others have the processor.
    try await Task.sleep(for: pause)
  }
}

/// Waits like `waitUntil`, on a thread that may stand still.
///
/// - Throws: `WaitingFailure` after the deadline, and what the condition throws.
public func blockUntil(
  _ what: String,
  pausing pause: Duration = .milliseconds(1),
  for deadline: Duration = .seconds(300),
  _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + deadline
  while try !condition() {
    guard ContinuousClock.now < end else {
      throw WaitingFailure(description: "waited \(deadline) for: \(what)")
    }
    // Between two looks others have the processor.
    Thread.sleep(forTimeInterval: pause / .seconds(1))
  }
}
