internal import Foundation

/// Runs what blocks on a thread of its own, so that the tasks' threads stay free.
public func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
