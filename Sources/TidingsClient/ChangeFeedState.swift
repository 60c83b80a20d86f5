/// Decides what the reader of a change feed does next: pages go in, what is to be done comes out.
struct ChangeFeedState {
  /// What is to be done next.
  enum Action: Equatable {
    /// Fetch the page after the token; the server waits so long for something to be in it.
    case fetch(wait: Duration)
    /// Everything was returned.
    case end
  }

  /// How long a followed feed lets the server wait: less than the server's longest wait of 60 s.
  static let followWait = Duration.seconds(50)
  /// An answer without changes that comes sooner was not waited for.
  static let shortestWait = Duration.seconds(1)

  /// Where to continue.
  private(set) var token: [UInt8]
  private let follows: Bool
  private var isDrained = false

  init(token: [UInt8], follows: Bool) {
    self.token = token
    self.follows = follows
  }

  var nextAction: Action {
    guard isDrained else { return .fetch(wait: .zero) }
    return follows ? .fetch(wait: Self.followWait) : .end
  }

  /// A page came.
  ///
  /// - Returns: Whether it is to be handed out: the end of a wait in which nothing happened is not.
  mutating func fetched(token: [UInt8], moreComing: Bool, isEmpty: Bool) -> Bool {
    let isProgress = !isEmpty || token != self.token
    let isFirstEnd = !isDrained && !moreComing
    self.token = token
    isDrained = !moreComing
    return isProgress || (isFirstEnd && !follows)
  }
}
