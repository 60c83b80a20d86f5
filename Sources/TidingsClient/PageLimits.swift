internal import Synchronization
package import TidingsRPC

/// Fetches pages, smaller ones after one was lost: what the feeds and logs over one connection share.
package final class PageLimits: Sendable {
  private let state = Mutex(PageLimit())

  /// So many pages that time out in succession are a failure of a feed that is not followed.
  static let lateMax = 4

  package init() {}

  /// What is asked for instead of `asked`; 0: as many as the server allows.
  func limit(_ asked: UInt32) -> UInt32 { state.withLock { $0.limit(asked) } }

  /// Fetches the page of a request, with fewer items if it is too large, or the connection is lost while it is under way.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - limit: The request's most items.
  ///   - lateMax: The last of so many pages that time out in succession is an error; the others are asked for again.
  ///   - call: Fetches the page of a request with another limit.
  /// - Returns: The page.
  /// - Throws: The error of the last call.
  package func page<Request, Page>(
    of request: Request,
    _ limit: WritableKeyPath<Request, UInt32>,
    lateMax: Int = 1,
    _ call: (Request) async throws(RPCError) -> Page
  ) async throws(RPCError) -> Page {
    try await page(of: request[keyPath: limit], lateMax: lateMax) { count throws(RPCError) in
      var request = request
      request[keyPath: limit] = count
      return try await call(request)
    }
  }

  /// Fetches a page, with fewer items if it is too large, or the connection is lost while it is under way.
  ///
  /// - Parameters:
  ///   - asked: Most items that the caller wants; 0: as many as the server allows.
  ///   - lateMax: The last of so many pages that time out in succession is an error; the others are asked for again.
  ///   - call: Fetches a page of at most so many items.
  /// - Returns: The page.
  /// - Throws: The error of the last call.
  package func page<Page>(
    of asked: UInt32,
    lateMax: Int = 1,
    _ call: (_ limit: UInt32) async throws(RPCError) -> Page
  ) async throws(RPCError) -> Page {
    var lateCount = 0
    while true {
      let limit = limit(asked)
      let begin = ContinuousClock.now
      do throws(RPCError) {
        let page = try await call(limit)
        state.withLock { $0.passed(limit, in: begin.duration(to: .now)) }
        return page
      } catch {
        let isLate = error.code == .deadlineExceeded
        guard isLate || error.hasUnknownOutcome || error.isOfTooLargeFrame else { throw error }
        if isLate { lateCount += 1 }
        let isSmaller = state.withLock { state in
          let isSmaller = state.lost(limit, divisor: isLate ? PageLimit.lateDivisor : 2)
          // One item is too large, which says nothing about others.
          if !isSmaller, error.isOfTooLargeFrame { state = PageLimit() }
          return isSmaller
        }
        guard isSmaller, lateCount < lateMax, !Task.isCancelled else { throw error }
      }
    }
  }
}
