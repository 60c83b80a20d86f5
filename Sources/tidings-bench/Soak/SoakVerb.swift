import BenchCore
import CommandLineTools

/// `tidings-bench soak`: its command line, and its run.
enum SoakVerb {
  static let name = "soak"

  private static let time = OptionKey<Int>(
    "time",
    value: "SECONDS",
    default: 120,
    in: 0...10_000_000,
    "How long, with the warm-up; 0: until it is interrupted."
  )
  private static let warmup = OptionKey<Int?>(
    "warmup",
    value: "SECONDS",
    in: 0...86_400,
    "How long nothing is compared at the beginning; otherwise a sixth of --time, 15 to 120."
  )
  private static let rate = OptionKey<Int>(
    "rate",
    value: "PERCENT",
    default: 100,
    in: 1...10_000,
    "How many calls: 100 are about 270 a second."
  )
  private static let seed = OptionKey<Int>(
    "seed",
    value: "N",
    default: 1,
    in: 0...1_000_000_000,
    "Which records calls are about."
  )
  private static let ratioMax = OptionKey<Int>(
    "p99-ratio-max",
    value: "N",
    default: 3,
    in: 0...1_000,
    "How many times as long calls may take during an activity (p99, median of the rounds); 0: any, on a busy machine."
  )
  private static let limits = OptionKey<[String]>(
    list: "limit",
    value: "NAME=NUMBER,…",
    "Limits of the server, as rpcd --limit."
  )
  private static let json = OptionKey<Bool>(flag: "json", "The report as JSON.")
  private static let rpcd = OptionKey<String?>(
    "rpcd",
    value: "PATH",
    "The server; otherwise rpcd beside this program."
  )
  private static let data = OptionKey<String>(
    "data",
    value: "FOLDER",
    default: ".",
    "The folder for temporary data, on the disk of which the server's is."
  )
  private static let help = OptionKey<Bool>(flag: "help", letter: "h", "Show this.")

  private static let options = [Option](
    of: time,
    warmup,
    rate,
    seed,
    ratioMax,
    limits,
    json,
    rpcd,
    data,
    help
  )

  private static let command = Command(
    "tidings-bench soak",
    "tidings-bench soak: run a server for long, and find out whether it stays as it was.",
    options: options,
    discussion: """
      Starts rpcd, calls it at a constant rate (saves, batches with deletions, lookups, queries, feeds,
      the log, assets, subscriptions, connections, pushes; several users and zones), and lets it expire old
      notifications and tombstones, build indexes, be backed up, and give the space of a deleted zone back,
      each in turn. What is stored stays about as large meanwhile.

      Fails when memory, files, threads, log or database grow, when the p99 of a kind of call is more
      than 3 times as long in most rounds while the server does one of these or moves its log, when the space of
      the zone is not given back, when a call fails or a notification does not come, or when far fewer calls
      were made than were to be. Standard error has the progress.
      Exit codes: 0 ok, 1 something was found or could not run, 2 usage.
      """
  )

  /// Runs it.
  ///
  /// - Returns: Whether nothing was found.
  static func run(_ arguments: [String], environment: [String: String]) async throws -> Bool {
    let parsed = try ParsedArguments(
      arguments,
      options: options,
      environment: environment,
      prefix: "TIDINGS_BENCH"
    )
    if parsed[help] {
      print(Help(command, prefix: "TIDINGS_BENCH"), terminator: "")
      return true
    }
    guard parsed.operands.isEmpty else {
      throw UsageError("soak takes no operands, and got '\(parsed.operands[0])'")
    }
    var bench = BenchSettings()
    bench.data = parsed[data]
    bench.program = BenchArguments.executablePath()
    bench.rpcd = parsed[rpcd] ?? BenchArguments.program("rpcd", beside: bench.program)
    let seconds = parsed[time]
    let settings = SoakSettings(
      seconds: seconds,
      warmup: parsed[warmup] ?? min(max(seconds / 6, 15), 120),
      rate: parsed[rate],
      seed: parsed[seed],
      ratioMax: parsed[ratioMax] == 0 ? nil : Double(parsed[ratioMax]),
      limits: parsed[limits]
    )
    guard seconds == 0 || settings.warmup < seconds else {
      throw UsageError("--warmup must be shorter than --time")
    }
    Interruption.install()
    let report = try await SoakRun(try Bench(bench), settings).report()
    print(parsed[json] ? try report.json() : report.text(), terminator: "")
    return report.findings.isEmpty
  }
}

/// How a soak is made.
struct SoakSettings: Sendable {
  /// With the warm-up; 0: until it is interrupted.
  var seconds: Int
  var warmup: Int
  /// Percent of the usual calls.
  var rate: Int
  /// Which records calls are about.
  var seed: Int
  /// How many times as long calls may take during an activity; `nil`: that decides nothing.
  var ratioMax: Double?
  /// Limits of the server, `NAME=NUMBER`.
  var limits: [String]

  /// What it accepts.
  var tolerance: SoakTolerance {
    var tolerance = SoakTolerance()
    tolerance.ratio = ratioMax
    if let most = limits.last(where: { $0.hasPrefix(Self.logLimit) }),
      let bytes = Double(most.dropFirst(Self.logLimit.count))
    {
      tolerance.log = SoakTolerance.log(limit: bytes)
    }
    return tolerance
  }

  private static let logLimit = "log-bytes-max="

  /// A long run has time to look at each activity for longer.
  var isLong: Bool { seconds == 0 || seconds >= 600 }
  /// Seconds between two activities.
  var pause: Int { isLong ? 30 : 8 }
  /// The least seconds of an activity.
  var activitySeconds: Int { isLong ? 20 : 9 }
  /// Seconds of a window of the report.
  var windowSeconds: Double { isLong ? 60 : 10 }
}
