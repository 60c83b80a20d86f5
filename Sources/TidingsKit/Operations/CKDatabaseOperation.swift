internal import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// An operation in one database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  // `database` is set before the operation runs.

  /// The database; `nil`: the container's private one.
  open var database: CKDatabase?

  /// The database that is used.
  var target: CKDatabase {
    database ?? (resolvedConfiguration.container ?? CKContainer.default()).privateCloudDatabase
  }

  /// Calls the server; what is transient is tried again until `timeoutIntervalForResource`.
  func call<Response: Sendable>(
    _ body: @Sendable (Client, CallOptions) async throws -> Response
  ) async throws -> Response {
    try await target.call(Patience(resolvedConfiguration), body)
  }

  /// Runs what may fail and delivers its end.
  func finish<Value: Sendable>(
    _ body: () async throws -> Value,
    _ end: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) async {
    let result: Result<Value, any Error>
    do {
      try Task.checkCancellation()
      result = .success(try await body())
    } catch {
      result = .failure(CKError(wrapping: error))
    }
    deliver { end(result) }
  }
}
