internal import BenchStatistics
internal import CommandLineTools

/// What is measured, how hard, and for how long.
struct BenchPlan: Hashable, Sendable {
  /// What one call is.
  enum Mode: String, CaseIterable, Sendable {
    case rpc
    case write
    case read
    case query
    case pushLatency = "push-latency"
    case fanout
    case catchup
    case soak

    /// Calls without `--calls` and `--duration`.
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
    "Calls under way at once, all on one connection."
  )
  private static let calls = OptionKey<Int?>(
    "calls",
    letter: "n",
    value: "N",
    in: 1...1_000_000_000,
    "Calls in all; for catchup, passes over the zone."
  )
  private static let duration = OptionKey<Duration?>(
    time: "duration",
    "How long, instead of --calls: 30s, 10m."
  )
  private static let rateOption = OptionKey<String?>(
    "rate",
    letter: "r",
    value: "RATE",
    "Calls that begin in a second, whether the ones before are done or not (open loop); latencies count from then."
  )
  private static let load = OptionKey<String>(
    "load",
    value: "SHAPE",
    default: "const",
    choices: ["const", "step", "line"],
    "How the rate goes: const, or from a tenth of it up to --rate in ten steps or in a line."
  )
  private static let warmup = OptionKey<Duration?>(
    time: "warmup",
    "Call for so long before, without measuring."
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
    "Records that read, query, catchup and soak begin with."
  )
  private static let subscribers = OptionKey<Int>(
    "subscribers",
    value: "N",
    default: 10,
    in: 1...1_000,
    "Subscribers that fanout notifies."
  )
  private static let typeOption = OptionKey<String>(
    "type",
    value: "TYPE",
    default: "RpcctlBench",
    completion: .live("types"),
    "The records' type, with the fields number INT64 and text STRING."
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
  /// Most calls; `Int.max`: as many as the time lets.
  let calls: Int
  let duration: Duration?
  /// Calls in a second; `nil`: each begins when one is done.
  let rate: Double?
  let schedule: CallSchedule?
  let warmup: Duration?
  let size: Int
  let records: Int
  let subscribers: Int
  let type: String

  /// The plan that a command line asks for.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let names = Mode.allCases.map(\.rawValue)
    guard arguments.operands.count == 1 else {
      throw UsageError("what is to be measured? One of \(names.joined(separator: ", "))")
    }
    guard let mode = Mode(rawValue: arguments.operands[0]) else {
      let near = nearest(to: arguments.operands[0], among: names)
      throw UsageError(
        "'\(arguments.operands[0])' is none of \(names.joined(separator: ", "))"
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
      throw UsageError("--rate takes calls per second, above 0, not '\(text)'")
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
        throw UsageError("--load \(load ?? "") needs --rate: where it leads to")
      }
      return nil
    }
    if isConstant { return .constant(rate) }
    guard let duration else {
      throw UsageError("--load \(load ?? "") needs --duration (-z): how long it takes")
    }
    return load == "line"
      ? .line(from: rate / 10, to: rate, over: duration)
      : .steps(stepCount, from: rate / 10, to: rate, over: duration)
  }
}
