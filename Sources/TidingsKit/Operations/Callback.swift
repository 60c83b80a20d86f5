internal import Foundation

/// Runs what is asynchronous for code that is not.
enum Callback {
  /// One queue for all completion handlers that belong to no operation: each handler is called once,
  /// and may block without stopping what others wait for.
  private static let queue = DispatchQueue(label: "tidings.completion", attributes: .concurrent)

  /// Runs a task, and returns its result on a separate queue.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value,
    then completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    Task {
      let result: Result<Value, any Error>
      do {
        result = .success(try await body())
      } catch {
        result = .failure(CKError(wrapping: error))
      }
      queue.async { completion(result) }
    }
  }
}

extension Result {
  /// Why it failed, if it did.
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// The value, if there is one.
  var success: Success? { try? get() }
}
