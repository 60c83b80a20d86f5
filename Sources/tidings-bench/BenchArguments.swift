import BenchCore
import CommandLineTools
import Glibc
import TidingsPostgres

/// What the benchmark's command line says.
struct BenchArguments {
  static let program = "tidings-bench"
  /// The cases, in the order in which they run.
  static let caseNames = [
    "echo", "curve", "fetch", "save", "engine", "push", "fanout", "subscribers", "catchup", "match",
    "start",
    "seal", "authorization", "query", "feed", "fairness", "turns", "client", "kit", "postgres",
    "events",
  ]

  var cases: [String] = []
  var settings = BenchSettings()
  var isJSON = false
  var thresholds: String?

  private static let all = OptionKey<Bool>(
    flag: "all",
    "All cases; also what happens when none is named."
  )
  private static let output = OptionKey<String>(
    "output",
    letter: "o",
    value: "FORMAT",
    default: "text",
    choices: ["text", "json"],
    "What goes to standard output."
  )
  private static let rounds = OptionKey<Int>(
    "rounds",
    value: "N",
    default: 7,
    in: 1...1000,
    "Rounds; their medians are reported."
  )
  private static let calls = OptionKey<Int>(
    "calls",
    value: "N",
    default: 4000,
    in: 1...10_000_000,
    "Calls of a round with one in flight; ten times as many with more."
  )
  private static let warmup = OptionKey<Int>(
    "warmup",
    value: "N",
    default: 1000,
    in: 1...10_000_000,
    "Calls before the first round."
  )
  private static let connections = OptionKey<String>(
    "connections",
    value: "LIST",
    default: "1,64",
    "Numbers of connections."
  )
  private static let inFlight = OptionKey<String>(
    "in-flight",
    value: "LIST",
    default: "1,64,1024",
    "Numbers of calls in flight, over all connections; fewer than those are skipped."
  )
  private static let saves = OptionKey<String>(
    "saves",
    value: "LIST",
    default: SaveVariant.allCases.map(\.rawValue).joined(separator: ","),
    "What save measures."
  )
  private static let databaseDelay = OptionKey<Int>(
    "database-delay",
    value: "MICROSECONDS",
    default: 0,
    in: 0...1_000_000,
    "How much later what is sent to the database of postgres, or by it, arrives; through its socket file."
  )
  private static let openLoop = OptionKey<String?>(
    "open-loop",
    value: "RATE",
    "Calls of fetch, save and push at this rate per second, or at so much of the maximum (50%)."
  )
  private static let seconds = OptionKey<Int>(
    "seconds",
    value: "N",
    default: 60,
    in: 1...86_400,
    "How long an open loop goes on."
  )
  private static let fired = OptionKey<Int>(
    "fired",
    value: "N",
    default: 1,
    in: 1...1000,
    "Subscriptions that a save of save.fired fires."
  )
  private static let indexes = OptionKey<Int>(
    "indexes",
    value: "N",
    default: 1,
    in: 1...Calls.indexableFields.count,
    "Indexes of the type of save.indexed."
  )
  private static let subscriptions = OptionKey<String>(
    "subscriptions",
    value: "LIST",
    default: "1000,10000,100000,1000000",
    "Sizes of the index in match and start."
  )
  private static let records = OptionKey<Int>(
    "records",
    value: "N",
    default: 1_000_000,
    in: 50...100_000_000,
    "Records in query."
  )
  private static let notifications = OptionKey<Int>(
    "notifications",
    value: "N",
    default: 1_000_000,
    in: 1...100_000_000,
    "Notifications in catchup."
  )
  private static let turns = OptionKey<String?>(
    "turns",
    value: "NAME",
    "Which calls turns makes: those whose names begin so."
  )
  private static let rpcd = OptionKey<String?>(
    "rpcd",
    value: "PATH",
    "The server; otherwise rpcd beside this program."
  )
  private static let data = OptionKey<String>(
    "data",
    value: "FOLDER",
    default: ".",
    "Where temporary data goes: a folder on the disk to be measured."
  )
  private static let check = OptionKey<String?>(
    "check",
    value: "FILE",
    "Fails when a score is worse than this JSON file says: {\"echo.c1.n1\": 1.4, ...}."
  )
  private static let help = OptionKey<Bool>(flag: "help", letter: "h", "Show this.")

  private static let options = [Option](
    of: all,
    output,
    rounds,
    calls,
    warmup,
    connections,
    inFlight,
    saves,
    databaseDelay,
    openLoop,
    seconds,
    fired,
    indexes,
    subscriptions,
    records,
    notifications,
    turns,
    rpcd,
    data,
    check,
    help
  )

  private static let command = Command(
    program,
    "tidings-bench: how fast rpcd is, compared with bare libzmq and SQLite.",
    operands: "[CASE…]",
    options: options,
    discussion: """
      Cases:
        echo    HealthService/Check against a ROUTER that sends the same frames back
        curve   the same with CURVE on both sides
        fetch   FetchRecords of one record among 10,000 against a get of the floor service: one
                thread, a ROUTER, an XPUB and one SQLite table, messages of one size, no features
        save    ModifyRecords with one record against a save of the floor service, which gathers
                the calls that are there into a commit: new and existing records of 8 fields, the
                same with one field (field.new, field.update), new ones that fire subscriptions,
                and new ones with indexes
        engine  the saves of new and existing records, and of new ones that fire a
                subscription, in process, 1, 64 and 1,024 in a transaction: what is left of a
                save without sockets and requests
        push    from a save to its notification, opened, on a SUB socket, and in a program that
                iterates over the Swift client's stream, against the save alone plus a bare PUB
                and SUB
        fanout  from a save until the last of 128 subscribers of one channel has its push, against
                the save alone plus a bare PUB with 128 SUB sockets
        subscribers
                saves that fire a channel with 1, 1,000 and 100,000 subscribers
        catchup a million stored notifications, through the Swift client: page by page, and one by
                one as its stream yields them
        match   the channel index with up to a million subscriptions, in process
        start   opening a store with up to a million subscriptions, in process
        feed    a zone's changes in pages of 200, 200,000 records of 238 bytes, through the Swift
                client: decoded, decoded with the next page asked for ahead, and only read to each
                page's token
        query   QueryRecords by an indexed field, 50 of a million records, against the same SELECT
                through SQLite's C interface; over the wire, and in process
        fairness
                fetches of a quiet caller beside another caller's flood, against the same alone
        turns   calls as large as they may be: how long one turn of the server's loop took
        client  the same calls through the Swift client, against a raw DEALER socket
        kit     saves, fetches and queries through TidingsKit, against the Swift client
        postgres
                fetch and save (new, update, fired) of rpcd on PostgreSQL, against rpcd on its embedded
                database; needs RPCD_DATABASE, the address of a database whose login may create others
        events  from a save to its server-sent event through rpcgw, the program beside this one,
                against the same save to its push on a SUB socket

      `tidings-bench growth` measures how costs grow with what is stored, `tidings-bench report` draws the
      curves; see `tidings-bench growth --help`. `tidings-bench soak` runs a server for long and finds out
      whether it stays as it was; see `tidings-bench soak --help`.

      Starts its own rpcd on a free port with temporary data. Each round measures the baseline and
      the server right after one another; scores are medians of the rounds' ratios.
      With --open-loop, fetch, save and push are called at a constant rate, and a latency counts from
      the time at which the call was to begin: the floor service first, then rpcd, at the same rate.
      Exit codes: 0 ok, 1 something could not run or --check failed, 2 usage.
      """
  )

  /// Reads a command line; `nil` when all that was wanted has been printed.
  init?(_ arguments: [String], environment: [String: String]) throws {
    let parsed = try ParsedArguments(
      arguments,
      options: Self.options,
      environment: environment,
      prefix: "TIDINGS_BENCH"
    )
    if parsed[Self.help] {
      print(
        Help(Self.command, prefix: "TIDINGS_BENCH"),
        terminator: ""
      )
      return nil
    }
    for name in parsed.operands where !Self.caseNames.contains(name) {
      let near = nearest(to: name, among: Self.caseNames)
      throw UsageError("unknown case '\(name)'" + (near.map { "; did you mean \($0)?" } ?? ""))
    }
    let takesAll = parsed[Self.all] || parsed.operands.isEmpty
    settings.database = environment[DatabaseSetting.variable] ?? ""
    // The servers of all other cases are embedded.
    unsetenv(DatabaseSetting.variable)
    let hasDatabase = !settings.database.isEmpty
    guard hasDatabase || !parsed.operands.contains("postgres") else {
      throw UsageError("postgres needs \(DatabaseSetting.variable)=postgresql://…")
    }
    settings.program = Self.executablePath()
    settings.rpcgw = Self.program("rpcgw", beside: settings.program)
    let hasGateway = access(settings.rpcgw, X_OK) == 0
    guard hasGateway || !parsed.operands.contains("events") else {
      throw UsageError("events needs \(settings.rpcgw), which is not there")
    }
    cases = Self.caseNames.filter {
      takesAll && (hasDatabase || $0 != "postgres") && (hasGateway || $0 != "events")
        || parsed.operands.contains($0)
    }
    settings.seconds = parsed[Self.seconds]
    if let text = parsed[Self.openLoop] {
      guard let rate = OpenLoopRate(text) else {
        throw UsageError("--open-loop takes calls per second or a part like 50%, not '\(text)'")
      }
      settings.openLoop = rate
      if takesAll { cases = OpenLoopCase.caseNames }
      for name in cases where !OpenLoopCase.caseNames.contains(name) {
        throw UsageError("'\(name)' has no open loop: use fetch, save or push")
      }
    }
    isJSON = parsed[Self.output] == "json"
    thresholds = parsed[Self.check]
    settings.rounds = parsed[Self.rounds]
    settings.calls = parsed[Self.calls]
    settings.warmup = parsed[Self.warmup]
    settings.connections = try Self.numbers(parsed, Self.connections, in: 1...256)
    settings.inFlight = try Self.numbers(parsed, Self.inFlight, in: 1...2048)
    guard !settings.loads.isEmpty else {
      throw UsageError("no calls in flight for so many connections: raise --in-flight")
    }
    settings.saves = try parsed[Self.saves].split(separator: ",").map { name in
      guard let variant = SaveVariant(rawValue: String(name)) else {
        throw UsageError("unknown save '\(name)'")
      }
      return variant
    }
    settings.databaseDelay = .microseconds(parsed[Self.databaseDelay])
    settings.fired = parsed[Self.fired]
    settings.indexes = parsed[Self.indexes]
    settings.subscriptions = try Self.numbers(parsed, Self.subscriptions, in: 1...10_000_000)
    settings.records = parsed[Self.records]
    settings.notifications = parsed[Self.notifications]
    settings.turns = parsed[Self.turns] ?? ""
    settings.data = parsed[Self.data]
    settings.rpcd = parsed[Self.rpcd] ?? Self.program("rpcd", beside: settings.program)
  }

  private static func numbers(
    _ parsed: ParsedArguments,
    _ key: OptionKey<String>,
    in range: ClosedRange<Int>
  ) throws -> [Int] {
    try parsed[key].split(separator: ",").map { text in
      guard let number = Int(text), range.contains(number) else {
        throw UsageError(
          "\(key.spelling) takes whole numbers from \(range.lowerBound) to \(range.upperBound) with commas "
            + "between them, not '\(text)'"
        )
      }
      return number
    }
  }

  static func program(_ name: String, beside program: String) -> String {
    "/" + program.split(separator: "/").dropLast().joined(separator: "/") + "/" + name
  }

  static func executablePath() -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    return String(
      decoding: bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
  }
}
