/// A part of the memory that a server may use, for one thing that its clients can make grow.
public struct MemoryShare: Hashable, Sendable {
  /// Of how many parts each share has some.
  public static let partsOfAll = 128

  /// How many parts it has.
  public let parts: Int
  /// What takes it.
  public let what: String
  /// It is no share of its own, but a bound within the one before it in `all`: of one user, or of one connection.
  public let isWithin: Bool

  private init(_ parts: Int, _ what: String, isWithin: Bool = false) {
    (self.parts, self.what, self.isWithin) = (parts, what, isWithin)
  }

  // MARK: What was received

  /// Connections, as `MemoryShares.connectionBytes` counts them.
  public static let connections = Self(22, "connections, 40 KiB each")
  /// Messages in libzmq that wait, or have not ended.
  ///
  /// `InboundBytes` lets them be twice its bound, which is half of this.
  public static let received = Self(
    10,
    "messages that libzmq has received and rpcd has not taken, of all connections; those that have not ended too"
  )
  /// Requests that wait for their turn.
  public static let requestsWaiting = Self(7, "requests that wait for their turn")
  /// Calls that are postponed, and those that wait behind them.
  public static let callsPostponed = Self(5, "calls that are postponed, and those behind them")
  /// Calls that wait for the end of a long one.
  public static let callsBehindLong = Self(4, "calls that wait for the end of a long one")
  /// Queries, feeds and large saves that wait for a thread; of one caller half of it, in which the largest frame has room.
  public static let readsWaiting = Self(
    8,
    "queries, feeds and large saves that wait for a thread, half of it for one user"
  )
  /// Calls that wait for a change.
  public static let changeWaits = Self(2, "calls that wait for a change")
  /// Requests of calls that run as tasks: uploads and downloads of assets, streams; of one caller half of it.
  public static let taskRequests = Self(
    4,
    "requests of uploads, downloads and streams that have not ended, half of it for one user"
  )
  /// The decoded form of a call on the loop, of a long one, and of a large one on the threads that read; there requests of
  /// calls that only read have less.
  public static let decoding = Self(
    18,
    "decoded calls: of the loop, a long one, and a large one on the threads that read; requests that only read"
  )

  // MARK: What is to be sent

  /// Answers of a group that is not committed.
  public static let groupAnswers = Self(4, "answers of a group that is not committed")
  /// Answers that their clients have not read.
  public static let unreadAnswers = Self(11, "answers that clients have not read")
  /// Those of a user's connections.
  public static let unreadAnswersPerUser = Self(7, "answers of one user", isWithin: true)
  /// Those of one connection.
  public static let unreadAnswersPerConnection = Self(
    6,
    "answers of one connection",
    isWithin: true
  )
  /// Those of one connection that libzmq is given.
  public static let unreadAnswersInLibzmq = Self(
    4,
    "answers of one connection in libzmq",
    isWithin: true
  )
  /// Events that wait for a turn with room for their publication.
  public static let eventsUnpublished = Self(
    1,
    "events that wait to be published; with more the oldest are at once"
  )
  /// Pushes that wait for the thread that sends them.
  public static let pushesWaiting = Self(
    1,
    "pushes that wait to be sent; with more those of a turn are not"
  )
  /// What libzmq keeps of the topics for which subscribers ask, as `MemoryShares.topicCost` counts.
  public static let topics = Self(
    5,
    "topics for which subscribers ask, 1,792 bytes and 34 for each byte of a topic"
  )
  /// Those of a user's connections.
  public static let topicsPerUser = Self(4, "topics of one user", isWithin: true)

  // MARK: What is stored

  /// Subscriptions, as `MemoryShares.subscriptionCost` counts.
  public static let subscriptions = Self(
    8,
    "subscriptions, 512 bytes each and 24 for each byte that is stored; with more no new ones are saved"
  )
  /// Those of one user in all containers.
  public static let subscriptionsPerUser = Self(
    4,
    "subscriptions of one user in all containers",
    isWithin: true
  )
  /// Credentials of callers on the web, as `MemoryShares.webTokenCost` counts.
  public static let webTokens = Self(
    4,
    "sessions on the web, API tokens and server keys, 1,600 bytes each; with more no new ones begin"
  )
  /// Schemas that the loop and the threads that read have lately used.
  public static let schemas = Self(
    2,
    "schemas that were used lately, of the loop and of each of the four threads that read a fifth"
  )
  /// Contents of channels that fired lately.
  public static let channelContents = Self(1, "contents of channels that fired lately")
  /// Tables of what can be looked up again, or done without (`MemoryTable`).
  public static let tables = Self(5, "tables of what can be looked up again, or done without")
  /// Pages of the store, of the connection that writes; with PostgreSQL, what is published to other nodes.
  public static let writerPages = Self(3, "pages of the store, of the connection that writes")
  /// Pages of the store, of the threads that read.
  public static let readerPages = Self(3, "pages of the store, of the four threads that read")

  /// All shares, each followed by the bounds within it.
  public static let all = [
    connections, received, requestsWaiting, callsPostponed, callsBehindLong, readsWaiting,
    changeWaits, taskRequests,
    decoding, groupAnswers, unreadAnswers, unreadAnswersPerUser, unreadAnswersPerConnection,
    unreadAnswersInLibzmq,
    eventsUnpublished, pushesWaiting, topics, topicsPerUser, subscriptions, subscriptionsPerUser,
    webTokens, schemas, channelContents,
    tables,
    writerPages, readerPages,
  ]
}
