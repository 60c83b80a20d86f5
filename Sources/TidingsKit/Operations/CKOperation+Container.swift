internal import Foundation
internal import TidingsClient
internal import TidingsRPC

/// What operations need that belong to a container, not to a database.
extension CKOperation {
  /// The container that is used.
  var usedContainer: CKContainer { resolvedConfiguration.container ?? .default() }

  /// Calls the server; what is transient is tried again until `timeoutIntervalForResource`.
  func callContainer<Response: Sendable>(
    idempotencyKey: String? = nil,
    _ body: @Sendable (Client, CallOptions) async throws -> Response
  ) async throws -> Response {
    // Any database will do: the connection is the container's.
    try await usedContainer.privateCloudDatabase.call(
      Patience(resolvedConfiguration),
      idempotencyKey: idempotencyKey,
      body
    )
  }

  /// Runs what may fail, as a whole or for some items, and delivers its end.
  func finishItems(
    _ body: () async throws -> CKError?,
    _ end: @escaping @Sendable (CKError?) -> Void
  ) async {
    let error: CKError?
    do {
      try Task.checkCancellation()
      error = try await body()
    } catch let failure {
      error = CKError(wrapping: failure)
    }
    deliver { end(error) }
  }
}
