internal import Foundation
internal import Synchronization

/// Operations of containers, for code that waits for all their results.
extension CKContainer {
  /// Runs an operation and collects the results of its items.
  ///
  /// - Parameters:
  ///   - throwsPartialFailure: Some items failed, and nothing of that is gathered.
  ///   - make: Makes the operation; hands over a block for each item, and one for the end.
  /// - Returns: What became of each item.
  /// - Throws: `CKError`, when the operation failed as a whole.
  func gathered<Key: Hashable & Sendable, Value: Sendable>(
    throwsPartialFailure: Bool = false,
    _ make: (
      _ gather: @escaping @Sendable (Key, Result<Value, any Error>) -> Void,
      _ end: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) -> CKOperation
  ) async throws -> [Key: Result<Value, any Error>] {
    let results = Gathered<Key, Value>()
    let running = Mutex<CKOperation?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let operation = make(
          { key, result in results.values.withLock { $0[key] = result } },
          { end in
            let error = end.failure as? CKError
            if let error, error.code != .partialFailure || throwsPartialFailure {
              continuation.resume(throwing: error)
            } else {
              continuation.resume(returning: results.values.withLock { $0 })
            }
          }
        )
        running.withLock { $0 = operation }
        if Task.isCancelled { operation.cancel() }
        add(operation)
      }
    } onCancel: {
      running.withLock { $0 }?.cancel()
    }
  }

  /// The result of the only item.
  static func one<Key: Hashable, Value>(
    _ results: [Key: Result<Value, any Error>],
    _ key: Key
  ) throws -> Value {
    guard let result = results[key] else {
      throw CKError(.internalError, "the server's answer does not include this item")
    }
    return try result.get()
  }
}

/// What an operation reported for its items.
private final class Gathered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let values = Mutex<[Key: Result<Value, any Error>]>([:])
}
