internal import Synchronization
package import TidingsRPC

/// Fetches pages, smaller ones after one was lost: what the feeds and logs over one connection share.
package final class PageLimits: Sendable {
  private let state = Mutex(PageLimit())

  package init() {}

  /// Fetches the page of a request, with fewer items if it is too large, or the connection is lost while it is under way.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - limit: The request's most items.
  ///   - call: Fetches the page of a request with another limit.
  /// - Returns: The page.
  /// - Throws: The error of the last call.
  package func page<Request, Page>(
    of request: Request,
    _ limit: WritableKeyPath<Request, UInt32>,
    _ call: (Request) async throws(RPCError) -> Page
  ) async throws(RPCError) -> Page {
    try await page(of: request[keyPath: limit]) { count throws(RPCError) in
      var request = request
      request[keyPath: limit] = count
      return try await call(request)
    }
  }

  /// Fetches a page, with fewer items if it is too large, or the connection is lost while it is under way.
  ///
  /// A page that timed out is not asked for again here, since nobody knows why it did; the next one is smaller.
  ///
  /// - Parameters:
  ///   - asked: Most items that the caller wants; 0: as many as the server allows.
  ///   - call: Fetches a page of at most so many items.
  /// - Returns: The page.
  /// - Throws: The error of the last call.
  package func page<Page>(
    of asked: UInt32,
    _ call: (_ limit: UInt32) async throws(RPCError) -> Page
  ) async throws(RPCError) -> Page {
    while true {
      let limit = state.withLock { $0.limit(asked) }
      do throws(RPCError) {
        let page = try await call(limit)
        state.withLock { $0.passed() }
        return page
      } catch {
        let canBeSmaller = error.hasUnknownOutcome || error.isOfTooLargeFrame
        guard canBeSmaller || error.code == .deadlineExceeded else { throw error }
        let isSmaller = state.withLock { state in
          let isSmaller = state.lost(limit)
          // One item is too large, which says nothing about others.
          if !isSmaller, error.isOfTooLargeFrame { state = PageLimit() }
          return isSmaller
        }
        guard isSmaller, canBeSmaller, !Task.isCancelled else { throw error }
      }
    }
  }
}
