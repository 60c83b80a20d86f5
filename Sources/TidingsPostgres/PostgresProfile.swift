/// How a connection uses its server.
public struct PostgresProfile: Sendable {
  /// Writes of a transaction are queued, and read-only statements wait for all of them at once.
  ///
  /// Off for engines that speak PostgreSQL's protocol and may repeat a part of a batch: then each
  /// statement waits for its end.
  public var isPipelined = true
  /// Transactions read one snapshot, and cannot write.
  public var readsOnly = false
  /// A transaction in which the client does nothing for so long is rolled back by the server, with its
  /// locks; `nil`: the server's setting.
  public var idleTransactionMilliseconds: Int? = 2_000
  /// An advisory lock that the connection holds as long as it lives, so that one program at a time uses the
  /// database.
  ///
  /// The database must have been migrated: commits are noted in it. A connection that was lost is replaced; if
  /// another program may have written meanwhile, the next transaction reports it once.
  public var sessionLock: Int64?
  /// Another advisory lock, which a connection with the session lock takes too: others see by it that it is a server's, and
  /// may be ended.
  public var sessionMark: Int64?
  /// How long a connection waits for the lock that another program has.
  public var lockPatience = Duration.seconds(10)
  /// The server plans the statements again in each transaction, for tests.
  public var plansEachTransaction = false
  /// How long the outcome of a commit is looked for whose answer was lost.
  public var decisionPatience = Duration.seconds(15)
  /// Most bytes of the answers that one statement waits for: what returns more must be read in pages.
  public var answerBytesMax = 64 << 20
  /// Rows of a page: a whole page of the largest rows fits into an answer.
  public var pageRows = 64
  /// Most commands that are queued before their answers are read.
  public var queuedCommandsMax = 1_024
  /// Most bytes of values that are queued before answers are read.
  public var queuedBytesMax = 4 << 20

  /// PostgreSQL, for a connection that writes.
  public static let writer = Self()
  /// PostgreSQL, for a connection that only reads.
  public static let reader = {
    var profile = Self()
    profile.readsOnly = true
    return profile
  }()

  /// PostgreSQL, for a connection that reads what one transaction after the other needs, the newest of each row.
  public static let readerAhead = Self()

  /// The same without queueing.
  public var withoutPipelining: Self {
    var profile = self
    profile.isPipelined = false
    return profile
  }

  /// The same without the locks.
  var withoutLock: Self {
    var profile = self
    (profile.sessionLock, profile.sessionMark) = (nil, nil)
    return profile
  }

  /// How a transaction begins.
  var begin: String {
    readsOnly
      ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED"
  }

  /// Statements find their rows by indexes, in the indexes' order, with any values: they are written for that.
  ///
  /// The planner would choose by statistics, and those of a table that was empty a minute ago make it read
  /// the whole table for each statement, until the table is analyzed (see also `PlanAge`). What is off is still used where a statement
  /// leaves nothing else; its cost then looks worth compiling, which it never is.
  private static let plans = [
    "plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off",
    "enable_hashjoin = off", "enable_mergejoin = off", "enable_sort = off", "jit = off",
  ]

  /// A session whose client cannot be reached ends after about 8 s.
  ///
  /// Until then it holds its locks, so that nobody else can use the database; by default for hours.
  private static let liveness = [
    "tcp_keepalives_idle = 2", "tcp_keepalives_interval = 2", "tcp_keepalives_count = 3",
    "tcp_user_timeout = 8000",
  ]

  /// What is set when a connection begins.
  var settings: String {
    let fixed = ["standard_conforming_strings = on"] + Self.plans + Self.liveness
    var settings = fixed.map { "SET \($0)" }
    if let idleTransactionMilliseconds {
      settings.append("SET idle_in_transaction_session_timeout = \(idleTransactionMilliseconds)")
    }
    return settings.joined(separator: "; ")
  }
}
