internal import CheckCore
internal import CommandLineTools

/// The options of a run.
enum RunOptions {
  static let duration = OptionKey<Duration>(
    time: "duration",
    default: "10s",
    "how long calls are made, without final reads"
  )
  static let calls = OptionKey<Int>(
    "calls",
    value: "N",
    default: 10_000,
    in: 100...1_000_000,
    "most calls of a workload; they are kept in memory, about 3 KB each"
  )
  static let clients = OptionKey<Int>(
    "clients",
    value: "N",
    default: 5,
    in: 3...100,
    "processes of each workload, and connections"
  )
  static let seed = OptionKey<String?>("seed", value: "N", "repeats the choices of a run")
  static let workloads = OptionKey<String>(
    "workloads",
    value: "LIST",
    default: WorkloadName.allCases.map(\.rawValue).joined(separator: ","),
    "the workloads"
  )
  static let history = OptionKey<String?>(
    "history",
    value: "FOLDER",
    completion: .folders,
    "write the history into a file of this folder"
  )
  /// For tests of this program.
  static let fault = OptionKey<String?>(
    "fault",
    value: "NAME",
    choices: Fault.allCases.map(\.rawValue),
    "do something wrong on purpose"
  )

  static let all = [Option](of: duration, calls, clients, seed, workloads, history)
  static let hidden = [Option](of: fault)

  /// The settings of a run.
  static func settings(_ parsed: ParsedArguments) throws -> CheckSettings {
    var settings = CheckSettings(
      client: try ConnectionOptions.configuration(parsed),
      seed: try number(parsed)
    )
    settings.duration = parsed[duration]
    settings.callsMax = parsed[calls]
    settings.clients = parsed[clients]
    settings.workloads = try names(parsed)
    settings.fault = parsed[fault].flatMap(Fault.init)
    return settings
  }

  private static func number(_ parsed: ParsedArguments) throws(UsageError) -> UInt64 {
    guard let text = parsed[seed] else { return .random(in: 1 ... .max) }
    guard let number = UInt64(text) else {
      throw UsageError("\(parsed.source(seed)) takes a whole number, not '\(text)'")
    }
    return number
  }

  private static func names(_ parsed: ParsedArguments) throws(UsageError) -> [WorkloadName] {
    let known = WorkloadName.allCases.map(\.rawValue)
    var names: [WorkloadName] = []
    for word in parsed[workloads].split(separator: ",").map(String.init) {
      guard let name = WorkloadName(rawValue: word) else {
        throw UsageError(
          "\(parsed.source(workloads)): unknown workload '\(word)'" + didYouMean(word, among: known)
        )
      }
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { throw UsageError("\(parsed.source(workloads)) is empty") }
    return names
  }
}
