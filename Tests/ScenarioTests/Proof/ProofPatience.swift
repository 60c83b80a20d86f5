internal import TestSupport

/// How long nothing moves before a wait for the last notifications is given up.
///
/// The longest interval between two looks at the log is 15 seconds: what does not come in three of them
/// does not come.
private let patience = Duration.seconds(45)

extension Observed {
  /// Waits until a condition holds, as long as anything moves.
  ///
  /// - Parameters:
  ///   - waits: `false` looks only.
  ///   - progress: What grows when something moves.
  ///   - condition: What is waited for.
  /// - Returns: The value; whether the condition holds is for the caller to find out.
  /// - Throws: Nothing that a wait that was given up throws.
  func waitWhileMoving(
    _ waits: Bool,
    progress: (Value) -> Int,
    until condition: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    var last = -1
    while waits, progress(value) > last {
      last = progress(value)
      do {
        return try await wait("the last notifications", for: patience, until: condition)
      } catch is WaitingFailure {}
    }
    return value
  }
}
