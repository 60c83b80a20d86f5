internal import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// How long a call may take, and be tried again.
struct Patience: Sendable {
  /// For one call.
  var request: Duration
  /// For all tries.
  var resource: Duration

  init(_ configuration: CKOperation.Configuration) {
    request = .seconds(min(max(configuration.timeoutIntervalForRequest, 0.001), 1e9))
    resource = .seconds(min(max(configuration.timeoutIntervalForResource, 0.001), 1e9))
  }

  /// Longest that is waited before a try.
  static let pauseMax = Duration.seconds(30)
}

extension CKDatabase {
  /// Calls the server.
  ///
  /// A server that says when to come again is obeyed, as long as there is time. One that cannot be
  /// reached is reported after the first request's time.
  ///
  /// - Parameters:
  ///   - patience: For how long.
  ///   - idempotencyKey: Of all tries, which change something once; `nil`: nothing is changed, or it does no harm to
  ///     change it again. The connection repeats calls, too, but its own key is one of each try.
  ///   - body: Makes one call with the options.
  /// - Returns: The answer.
  /// - Throws: `CKError`; `CancellationError`.
  func call<Response: Sendable>(
    _ patience: Patience,
    idempotencyKey: String? = nil,
    _ body: @Sendable (Client, CallOptions) async throws -> Response
  ) async throws -> Response {
    let end = ContinuousClock.now.advanced(by: patience.resource)
    var options = CallOptions(timeout: patience.request)
    options.idempotencyKey = idempotencyKey
    while true {
      try Task.checkCancellation()
      do {
        return try await link.learning { try await body($0, options) }
      } catch let failure as CKError {
        guard failure.isTransient, let seconds = failure.retryAfterSeconds else { throw failure }
        let pause = min(Duration.seconds(max(seconds, 0.01)), Patience.pauseMax)
        guard ContinuousClock.now.advanced(by: pause) < end else { throw failure }
        try await Task.sleep(for: pause)
      }
    }
  }
}
