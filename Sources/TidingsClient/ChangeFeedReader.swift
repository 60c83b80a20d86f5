internal import TidingsProto
internal import TidingsRPC

/// Fetches the pages of one feed, one after the other: what the two kinds of feeds have in common.
struct ChangeFeedReader<Page: ChangeFeedPage> {
  /// Fetches a page, for which the server waits so long.
  typealias Fetch =
    @Sendable (_ token: [UInt8], _ wait: Duration) async throws(ChangeFeedError) -> Page

  private var state: ChangeFeedState
  private let follows: Bool
  private let fetch: Fetch
  private let pause: @Sendable (Duration) async -> Void
  private let onConnection: (@Sendable (NotificationStream.Connection) -> Void)?
  private var backoff = Backoff()
  private var isLost = false

  init(
    after token: [UInt8],
    follows: Bool,
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil,
    _ fetch: @escaping Fetch
  ) {
    state = ChangeFeedState(token: token, follows: follows)
    self.follows = follows
    self.pause = pause
    self.onConnection = onConnection
    self.fetch = fetch
  }

  /// The next page with changes; `nil` at the end, or when the task is cancelled.
  mutating func next() async throws(ChangeFeedError) -> Page? {
    while !Task.isCancelled, case .fetch(let wait) = state.nextAction {
      do {
        let begin = ContinuousClock.now
        // A server that is there again is to say so at once.
        let wait = isLost ? .zero : wait
        let page = try await fetch(state.token, wait)
        noteReturn()
        let hasChanges = state.fetched(
          token: page.changeToken,
          moreComing: page.moreComing,
          isEmpty: page.isEmpty
        )
        if hasChanges {
          backoff.reset()
          return page
        }
        // A server that is stopping, or where too many wait already, does not wait: this client must.
        let hasWaited =
          wait == .zero || begin.duration(to: .now) >= ChangeFeedState.shortestWait
        if hasWaited { backoff.reset() } else { await pause(backoff.next()) }
      } catch {
        if Task.isCancelled { return nil }
        guard follows, error.isWorthRepeating else { throw error }
        noteLoss(error)
        await pause(backoff.next())
      }
    }
    return nil
  }

  private mutating func noteLoss(_ error: ChangeFeedError) {
    guard !isLost, case .call(let error) = error else { return }
    isLost = true
    onConnection?(NotificationStream.Connection(failed: error))
  }

  private mutating func noteReturn() {
    guard isLost else { return }
    isLost = false
    onConnection?(.restored)
  }
}

/// A page of a feed.
protocol ChangeFeedPage: Sendable {
  var changeToken: [UInt8] { get }
  var moreComing: Bool { get }
  /// It has no changes.
  var isEmpty: Bool { get }
}

extension CallOptions {
  /// Options for a call for which the server waits.
  init(timeout: Duration?, wait: Duration) { self.init(timeout: timeout.map { $0 + wait }) }
}

extension GoogleProtobuf.Duration {
  /// A wait in the request; none is absent.
  static func wait(_ wait: Duration) -> Self? {
    wait > .zero ? Self(seconds: wait.components.seconds) : nil
  }
}
