import BenchCore
import Glibc

/// One run: the cases, then the report.
struct Run {
  private let arguments: BenchArguments
  private let bench: Bench

  init(_ arguments: BenchArguments) throws {
    self.arguments = arguments
    bench = try Bench(arguments.settings)
  }

  /// Runs the cases and prints the report.
  ///
  /// - Returns: Whether no score is worse than the thresholds.
  func report() async throws -> Bool {
    #if DEBUG
    bench.note("A debug build: the figures say little. Build with -c release.")
    #endif
    // Read first, so that a bad file is not found after minutes.
    let thresholds = try arguments.thresholds.map { path in
      do { return try Thresholds(json: SystemFile.read(path)) } catch {
        throw BenchError("the thresholds in '\(path)' cannot be used: \(error)")
      }
    }
    var figures: [Figure] = []
    for name in arguments.cases { figures += try await run(name) }
    let report = Report(
      machine: .current(),
      settings: facts,
      figures: figures,
      notes: notes + bench.notes
    )
    print(arguments.isJSON ? try report.json() : report.text(), terminator: "")
    fflush(nil)
    let complaints = thresholds?.complaints(about: figures, cases: arguments.cases) ?? []
    for complaint in complaints { bench.say("worse than allowed: \(complaint)") }
    return complaints.isEmpty
  }

  private func run(_ name: String) async throws -> [Figure] {
    if let rate = arguments.settings.openLoop { return try OpenLoopCase.run(bench, name, rate) }
    return switch name {
    case "echo": try EchoCase.run(bench)
    case "curve": try CurveCase.run(bench)
    case "fetch": try FetchCase.run(bench)
    case "save": try SaveCase.run(bench)
    case "engine": try EngineCase.run(bench)
    case "push": try await PushCase.run(bench)
    case "fanout": try FanoutCase.run(bench)
    case "subscribers": try SubscribersCase.run(bench)
    case "catchup": try await CatchUpCase.run(bench)
    case "match": try MatchCase.run(bench)
    case "seal": SealCase.run(bench)
    case "authorization": try AuthorizationCase.run(bench)
    case "start": try StartCase.run(bench)
    case "feed": try await FeedCase.run(bench)
    case "query": try QueryCase.run(bench)
    case "fairness": try FairnessCase.run(bench)
    case "turns": try TurnCase.run(bench)
    case "client": try await ClientCase.run(bench)
    case "postgres": try PostgresCase.run(bench)
    case "events": try EventCase.run(bench)
    case "kit": try await KitCase.run(bench)
    default: throw BenchError("there is no case '\(name)'")
    }
  }

  private var facts: [String: String] {
    let settings = arguments.settings
    if settings.openLoop != nil { return ["seconds": "\(settings.seconds)"] }
    return [
      "rounds": "\(settings.rounds)", "calls": "\(settings.calls)",
      "warmup": "\(settings.warmup)",
    ]
  }

  private var notes: [String] {
    [
      "Latencies and rates are medians over the rounds; a score is the median of the ratios within "
        + "each round. Base: a bare libzmq server, or for fetch and save the floor service, in a "
        + "process of its own, called by the same generator over loopback TCP.",
      "Processor time is a call's share of the process's, all threads together: server µs, client µs "
        + "(this program), base µs (the baseline's server).",
      "A record is sent as \(Calls.recordBytes) bytes. Calls about records name a user and a device "
        + "in their metadata; echo has none. Saves are durable: WAL, synchronous=FULL.",
    ]
  }
}
