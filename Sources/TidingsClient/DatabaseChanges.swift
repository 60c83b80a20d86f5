public import TidingsProto
public import TidingsRPC

/// Which zones of a database changed after a token: pages of zones that were created, altered or in
/// which a record changed, and of those that were deleted, with the reason.
///
/// Every page has a token. Store it together with the content of the page.
public struct DatabaseChanges: AsyncSequence, Sendable {
  /// A page.
  public typealias Element = TidingsV1.FetchDatabaseChangesResponse
  /// Why the feed ended.
  public typealias Failure = ChangeFeedError

  private let token: [UInt8]
  private let follows: Bool
  private let onConnection: (@Sendable (NotificationStream.Connection) -> Void)?
  private let fetch: ChangeFeedReader<TidingsV1.FetchDatabaseChangesResponse>.Fetch

  /// The changes of a database, over a transport.
  ///
  /// - Parameters:
  ///   - transport: Carries the calls.
  ///   - database: The database.
  ///   - token: Where to begin; empty: with all zones.
  ///   - pageLimit: Most zones in a page; 0: as many as the server allows.
  ///   - follow: Do not end: after the newest change, wait for further ones.
  ///   - timeout: How long a call may take, besides the wait; `nil`: the transport's default.
  ///   - onConnection: Called when the server of a followed feed cannot be reached any more, and when it
  ///     can again; called by the task that iterates, and must not wait.
  public init(
    _ transport: any ClientTransport,
    database: TidingsV1.DatabaseID,
    after token: [UInt8] = [],
    pageLimit: UInt32 = 0,
    follow: Bool = false,
    timeout: Duration? = nil,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil
  ) {
    self.init(
      transport,
      PageLimits(),
      database: database,
      after: token,
      pageLimit: pageLimit,
      follow: follow,
      timeout: timeout,
      onConnection: onConnection
    )
  }

  init(
    _ transport: any ClientTransport,
    _ limits: PageLimits,
    database: TidingsV1.DatabaseID,
    after token: [UInt8],
    pageLimit: UInt32,
    follow: Bool,
    timeout: Duration?,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)?
  ) {
    self.token = token
    follows = follow
    self.onConnection = onConnection
    let records = TidingsV1.RecordService.Client(transport)
    let lateMax = follow ? 1 : PageLimits.lateMax
    fetch = { token, wait throws(ChangeFeedError) in
      var request = TidingsV1.FetchDatabaseChangesRequest(
        databaseID: database,
        changeToken: token,
        limit: pageLimit,
        maxWait: .wait(wait)
      )
      let options = CallOptions(timeout: timeout, wait: wait)
      do throws(RPCError) {
        // A connection that is lost while the server waits says nothing about the size of pages.
        guard wait == .zero else {
          request.limit = limits.limit(pageLimit)
          return try await records.fetchDatabaseChanges(request, options: options)
        }
        return try await limits.page(of: request, \.limit, lateMax: lateMax) {
          request throws(RPCError) in
          try await records.fetchDatabaseChanges(request, options: options)
        }
      } catch {
        throw ChangeFeedError(error)
      }
    }
  }

  /// Begins an iteration, at the token.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      reader: ChangeFeedReader(after: token, follows: follows, onConnection: onConnection, fetch)
    )
  }

  /// Fetches pages, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var reader: ChangeFeedReader<TidingsV1.FetchDatabaseChangesResponse>

    /// The next page; `nil` after the newest change, or when the task is cancelled.
    public mutating func next() async throws(ChangeFeedError) -> Element? {
      try await reader.next()
    }

    /// The next page; `nil` after the newest change, or when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ChangeFeedError)
      -> Element?
    {
      try await reader.next()
    }
  }
}

extension TidingsV1.FetchDatabaseChangesResponse: ChangeFeedPage {
  var isEmpty: Bool { changedZoneIDs.isEmpty && deletedZones.isEmpty }
}
