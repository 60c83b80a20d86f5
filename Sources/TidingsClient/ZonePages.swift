internal import Synchronization
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Fetches the pages of one iteration over a zone's changes.
///
/// If it reads ahead, the server prepares the next page while one is decoded and consumed; at most one call
/// is ahead.
final class ZonePages: Sendable {
  private typealias Response = Result<[UInt8], RPCError>

  /// A call for the page after a token, which was made before the page was asked for.
  private struct Ahead {
    let token: [UInt8]
    let call: Task<Response, Never>
  }

  private let request: ZonePageRequest
  private let readsAhead: Bool
  private let ahead = Mutex<Ahead?>(nil)

  init(_ request: ZonePageRequest, readsAhead: Bool) {
    self.request = request
    self.readsAhead = readsAhead
  }

  deinit { ahead.withLock { $0?.call.cancel() } }

  /// Fetches the page after a token, for which the server waits so long.
  func page(
    after token: [UInt8],
    wait: Duration
  ) async throws(ChangeFeedError) -> TidingsV1.ZoneChanges {
    do throws(RPCError) {
      let response =
        if let call = takeAhead(after: token) {
          try await withTaskCancellationHandler {
            await call.value
          } onCancel: {
            call.cancel()
          }.get()
        } else {
          try await request.response(after: token, wait: wait)
        }
      if readsAhead { askAhead(of: response) }
      return try ZonePageRequest.page(in: response)
    } catch {
      throw ChangeFeedError(error)
    }
  }

  private func takeAhead(after token: [UInt8]) -> Task<Response, Never>? {
    let taken = ahead.withLock { ahead in
      defer { ahead = nil }
      return ahead
    }
    guard let taken, taken.token == token else { return nil }
    return taken.call
  }

  /// Makes the next call before the page is decoded, unless the server has nothing more at once.
  private func askAhead(of response: [UInt8]) {
    guard let end = ZonePageEnd(response), end.moreComing else { return }
    let request = request
    let call = Task.immediate { () async -> Response in
      do throws(RPCError) {
        return .success(try await request.response(after: end.changeToken, wait: .zero))
      } catch {
        return .failure(error)
      }
    }
    ahead.withLock { $0 = Ahead(token: end.changeToken, call: call) }
  }
}
