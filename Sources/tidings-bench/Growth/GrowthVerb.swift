import BenchCore
import CommandLineTools
import FoundationEssentials

/// The verbs about growth, by their words.
enum GrowthVerb: String {
  case growth
  case report

  func run(_ arguments: [String], environment: [String: String]) throws {
    switch self {
    case .growth: try GrowthArguments.run(arguments, environment: environment)
    case .report: try ReportArguments.run(arguments, environment: environment)
    }
  }
}

/// `tidings-bench growth`: its command line, and its run.
private enum GrowthArguments {
  private static let axes = OptionKey<String>(
    "axes",
    value: "LIST",
    default: GrowthAxis.allCases.map(\.rawValue).joined(separator: ","),
    "What grows: records, subscriptions, connections, zones."
  )
  private static let largest = OptionKey<Int>(
    "largest",
    value: "N",
    default: 1_000_000,
    in: 1...10_000_000,
    "The largest size of any axis; each has a largest of its own."
  )
  private static let output = OptionKey<String>(
    "output",
    letter: "O",
    value: "FILE",
    default: "growth.json",
    "The file for the measured curves."
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
    "The folder for temporary data, on the disk to be measured."
  )
  private static let help = OptionKey<Bool>(flag: "help", letter: "h", "Show this.")

  private static let options = [Option](of: axes, largest, output, rpcd, data, help)

  private static let command = Command(
    "tidings-bench growth",
    "tidings-bench growth: measure what operations cost as the store or the load grows.",
    options: options,
    discussion: """
      Measures each operation decade by decade: with 1,000 to 10,000,000 records, 1 to 1,000,000
      subscriptions, 1 to 2,000 connections, and 1 to 10,000 zones. --largest 1000 is a quick run. A
      million records take a minute or two, ten millions half an hour and 10 GB.
      """
  )

  static func run(_ arguments: [String], environment: [String: String]) throws {
    let parsed = try ParsedArguments(
      arguments,
      options: options,
      environment: environment,
      prefix: "TIDINGS_BENCH"
    )
    if parsed[help] { return print(Help(command, prefix: "TIDINGS_BENCH"), terminator: "") }
    guard parsed.operands.isEmpty else {
      throw UsageError("growth takes no operands, and got '\(parsed.operands[0])'")
    }
    let chosen = try parsed[axes].split(separator: ",").map { name in
      guard let axis = GrowthAxis(rawValue: String(name)) else {
        throw UsageError(
          "invalid axis '\(name)': use \(GrowthAxis.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      return axis
    }
    var settings = BenchSettings()
    settings.data = parsed[data]
    settings.program = BenchArguments.executablePath()
    settings.rpcd = parsed[rpcd] ?? BenchArguments.program("rpcd", beside: settings.program)
    Interruption.install()
    let bench = try Bench(settings)
    let measured = try chosen.flatMap { axis in
      try curves(axis, bench, sizes: axis.sizes(largest: parsed[largest]))
    }
    let run = GrowthRun(
      machine: .current(),
      command: "tidings-bench growth --axes \(parsed[axes]) --largest \(parsed[largest])",
      curves: measured
    )
    try ReportArguments.write(try run.json(), to: parsed[output])
  }

  private static func curves(
    _ axis: GrowthAxis,
    _ bench: Bench,
    sizes: [Int]
  ) throws -> [GrowthCurve] {
    switch axis {
    case .records: try RecordsGrowth.run(bench, sizes: sizes)
    case .subscriptions: try SubscriptionsGrowth.run(bench, sizes: sizes)
    case .connections: try ConnectionsGrowth.run(bench, sizes: sizes)
    case .zones: try ZonesGrowth.run(bench, sizes: sizes)
    }
  }
}

/// `tidings-bench report`: its command line, and its run.
private enum ReportArguments {
  private static let page = OptionKey<String>(
    "page",
    value: "FILE",
    default: "growth.md",
    "The Markdown page."
  )
  private static let pictures = OptionKey<String>(
    "pictures",
    value: "FOLDER",
    default: "growth",
    "The folder for the pictures, relative to the page's folder."
  )
  private static let help = OptionKey<Bool>(flag: "help", letter: "h", "Show this.")

  private static let options = [Option](of: page, pictures, help)

  private static let command = Command(
    "tidings-bench report",
    "tidings-bench report: draw the curves that `tidings-bench growth` measured.",
    operands: "FILE…",
    options: options,
    discussion: """
      Writes a page with a picture and a table for each axis, in which each curve is named by its growth.
      Several files are several axes of one page: their curves are joined.

      Example:
        tidings-bench report growth.json --page docs/growth.md
      """
  )

  static func run(_ arguments: [String], environment: [String: String]) throws {
    let parsed = try ParsedArguments(
      arguments,
      options: options,
      environment: environment,
      prefix: "TIDINGS_BENCH"
    )
    if parsed[help] { return print(Help(command, prefix: "TIDINGS_BENCH"), terminator: "") }
    let runs = try parsed.operands.map { try GrowthRun(json: SystemFile.read($0)) }
    guard var run = runs.first else {
      throw UsageError("name the file that tidings-bench growth wrote")
    }
    run.curves = runs.flatMap(\.curves)
    run.command = runs.map(\.command).joined(separator: "\n    ")
    let pagePath = parsed[page]
    let folder = pagePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let picturesPath = (folder.map(String.init) + [parsed[pictures]]).joined(separator: "/")
    try FileManager.default.createDirectory(
      atPath: picturesPath,
      withIntermediateDirectories: true
    )
    let page = GrowthPage(run, picturesFolder: parsed[pictures])
    for picture in page.pictures { try write(picture.svg, to: "\(picturesPath)/\(picture.file)") }
    try write(page.markdown, to: pagePath)
  }

  static func write(_ text: String, to path: String) throws {
    do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
      throw BenchError("writing '\(path)': \(error)")
    }
  }
}
