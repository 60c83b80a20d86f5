internal import BenchStatistics
internal import CommandLineTools

/// The mode, load and duration of a run.
struct BenchPlan: Hashable, Sendable {
  /// The kind of calls.
  enum Mode: String, CaseIterable, Sendable {
    case rpc
    case write
    case read
    case query
    case pushLatency = "push-latency"
    case fanout
    case catchup
    case soak

    /// The number of calls without `--calls` and `--duration`.
    fileprivate var calls: Int {
      switch self {
      case .rpc, .write, .read, .query: 10_000
      case .pushLatency: 1_000
      case .fanout: 200
      case .catchup: 1
      case .soak: .max
      }
    }
  }

  private static let inFlight = OptionKey<Int>(
    "in-flight",
    value: "N",
    default: 1,
    in: 1...10_000,
    "Concurrent calls, all on one connection."
  )
  private static let calls = OptionKey<Int?>(
    "calls",
    letter: "n",
    value: "N",
    in: 1...1_000_000_000,
    "The number of calls; for catchup, of complete reads."
  )
  private static let duration = OptionKey<Duration?>(
    time: "duration",
    "The duration, instead of --calls: 30s, 10m."
  )
  private static let rateOption = OptionKey<String?>(
    "rate",
    letter: "r",
    value: "RATE",
    "Calls per second, independent of responses (open loop); latencies are measured from the scheduled start."
  )
  private static let load = OptionKey<String>(
    "load",
    value: "SHAPE",
    default: "const",
    choices: ["const", "step", "line"],
    "The load curve: const, or from a tenth of --rate up to --rate in ten steps (step) or linearly (line)."
  )
  private static let warmup = OptionKey<Duration?>(
    time: "warmup",
    "The warm-up time before measuring."
  )
  private static let size = OptionKey<Int>(
    "size",
    value: "BYTES",
    default: 100,
    in: 0...500_000,
    "Bytes of text in each record."
  )
  private static let recordsOption = OptionKey<Int>(
    "records",
    value: "N",
    default: 1000,
    in: 1...1_000_000,
    "The number of records for read, query, catchup and soak."
  )
  private static let subscribers = OptionKey<Int>(
    "subscribers",
    value: "N",
    default: 10,
    in: 1...1_000,
    "The number of subscribers for fanout."
  )
  private static let typeOption = OptionKey<String>(
    "type",
    value: "TYPE",
    default: "RpcctlBench",
    completion: .live("types"),
    "The record type, with the fields number INT64 and text STRING."
  )

  static let options = [Option](
    of: inFlight,
    calls,
    duration,
    rateOption,
    load,
    warmup,
    size,
    recordsOption,
    subscribers,
    typeOption
  )

  private static let stepCount = 10

  let mode: Mode
  let inFlight: Int
  /// The number of calls; `Int.max`: limited by the duration.
  let calls: Int
  let duration: Duration?
  /// Calls per second; `nil`: each starts when another is answered.
  let rate: Double?
  let schedule: CallSchedule?
  let warmup: Duration?
  let size: Int
  let records: Int
  let subscribers: Int
  let type: String

  /// The plan for a command line.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let names = Mode.allCases.map(\.rawValue)
    guard arguments.operands.count == 1 else {
      throw UsageError("no mode: use \(names.joined(separator: ", "))")
    }
    guard let mode = Mode(rawValue: arguments.operands[0]) else {
      let near = nearest(to: arguments.operands[0], among: names)
      throw UsageError(
        "invalid mode '\(arguments.operands[0])': use \(names.joined(separator: ", "))"
          + (near.map { "; did you mean \($0)?" } ?? "")
      )
    }
    self.mode = mode
    inFlight = mode == .catchup ? 1 : arguments[Self.inFlight]
    duration =
      arguments[Self.duration]
      ?? (mode == .soak && arguments[Self.calls] == nil ? .seconds(60) : nil)
    calls =
      arguments[Self.calls] ?? (duration == nil ? mode.calls : .max)
    warmup = arguments[Self.warmup]
    size = arguments[Self.size]
    records = arguments[Self.recordsOption]
    subscribers =
      mode == .fanout ? arguments[Self.subscribers] : 1
    type = arguments[Self.typeOption]
    rate = try Self.rate(arguments)
    schedule = try Self.schedule(rate, arguments[Self.load], over: duration)
  }

  private static func rate(_ arguments: ParsedArguments) throws(UsageError) -> Double? {
    guard let text = arguments[rateOption] else { return nil }
    guard let rate = Double(text), rate > 0, rate <= 1_000_000 else {
      throw UsageError("invalid --rate '\(text)': use calls per second, above 0")
    }
    return rate
  }

  private static func schedule(
    _ rate: Double?,
    _ load: String?,
    over duration: Duration?
  ) throws(UsageError) -> CallSchedule? {
    let isConstant = load != "step" && load != "line"
    guard let rate else {
      guard isConstant else {
        throw UsageError("--load \(load ?? "") requires --rate")
      }
      return nil
    }
    if isConstant { return .constant(rate) }
    guard let duration else {
      throw UsageError("--load \(load ?? "") requires --duration (-z)")
    }
    return load == "line"
      ? .line(from: rate / 10, to: rate, over: duration)
      : .steps(stepCount, from: rate / 10, to: rate, over: duration)
  }
}
