public import TidingsProto
public import TidingsRPC

/// What changed in a zone after a token: pages of records, oldest change first, each record once at its
/// latest state.
///
/// Every page has a token. Store it together with the content of the page, in one transaction: a program
/// that begins again with the last token it kept misses nothing.
public struct RecordZoneChanges: AsyncSequence, Sendable {
  /// A page; its `error` is never set.
  public typealias Element = TidingsV1.ZoneChanges
  /// Why the feed ended.
  public typealias Failure = ChangeFeedError

  private let token: [UInt8]
  private let follows: Bool
  private let onConnection: (@Sendable (NotificationStream.Connection) -> Void)?
  private let request: ZonePageRequest
  private let readsAhead: Bool

  /// The changes of a zone, over a transport.
  ///
  /// - Parameters:
  ///   - transport: Carries the calls.
  ///   - database: The zone's database.
  ///   - options: The zone, where to begin, and what to return; its `limit` is that of a page.
  ///   - follow: Do not end: after the newest change, wait for further ones.
  ///   - readsAhead: Ask for the next page when one has come, before it is consumed. This is faster; a page can
  ///     then be older than the moment at which the program asks for it, and one that is not asked for was
  ///     fetched in vain.
  ///   - timeout: How long a call may take, besides the wait; `nil`: the transport's default.
  ///   - onConnection: Called when the server of a followed feed cannot be reached any more, and when it
  ///     can again; called by the task that iterates, and must not wait.
  public init(
    _ transport: any ClientTransport,
    database: TidingsV1.DatabaseID,
    _ options: TidingsV1.ZoneChangesOptions,
    follow: Bool = false,
    readsAhead: Bool = false,
    timeout: Duration? = nil,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil
  ) {
    self.init(
      transport,
      PageLimits(),
      database: database,
      options,
      follow: follow,
      readsAhead: readsAhead,
      timeout: timeout,
      onConnection: onConnection
    )
  }

  init(
    _ transport: any ClientTransport,
    _ limits: PageLimits,
    database: TidingsV1.DatabaseID,
    _ options: TidingsV1.ZoneChangesOptions,
    follow: Bool,
    readsAhead: Bool,
    timeout: Duration?,
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)?
  ) {
    token = options.changeToken
    follows = follow
    self.onConnection = onConnection
    self.readsAhead = readsAhead
    request = ZonePageRequest(
      transport: transport,
      database: database,
      options: options,
      timeout: timeout,
      limits: limits,
      lateMax: follow ? 1 : PageLimits.lateMax
    )
  }

  /// Begins an iteration, at the token.
  public func makeAsyncIterator() -> AsyncIterator {
    let pages = ZonePages(request, readsAhead: readsAhead)
    return AsyncIterator(
      reader: ChangeFeedReader(after: token, follows: follows, onConnection: onConnection) {
        token,
        wait throws(ChangeFeedError) in
        let page = try await pages.page(after: token, wait: wait)
        if let error = page.error { throw ChangeFeedError(error) }
        return page
      }
    )
  }

  /// Fetches pages, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var reader: ChangeFeedReader<TidingsV1.ZoneChanges>

    /// The next page; `nil` after the newest change, or when the task is cancelled.
    public mutating func next() async throws(ChangeFeedError) -> TidingsV1.ZoneChanges? {
      try await reader.next()
    }

    /// The next page; `nil` after the newest change, or when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ChangeFeedError)
      -> TidingsV1.ZoneChanges?
    {
      try await reader.next()
    }
  }
}

extension TidingsV1.ZoneChanges: ChangeFeedPage {
  var isEmpty: Bool { changedRecords.isEmpty && deletedRecords.isEmpty }
}
