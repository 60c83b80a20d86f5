internal import CommandLineTools
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let interval = OptionKey<Duration>(
    time: "interval",
    default: "2s",
    "How often the figures are refreshed, and what they are about."
  )
  private static let once = OptionKey<Bool>(
    flag: "once",
    "Print the figures of one interval as text, and exit."
  )
  private static let batch = OptionKey<Bool>(
    flag: "batch",
    "Print the figures of each interval as text, until it is interrupted."
  )

  static let top = Verb(
    command: Command(
      "server top",
      aliases: ["top"],
      "Show what the server does: rates, latencies by method, queues, slow calls.",
      options: [Option](of: interval, once, batch),
      discussion: """
        Fills the terminal; q quits. --once and --batch print text, or with -o what it asks for. Without
        a terminal it prints one interval. Latencies are those of the last interval, from the receipt of a
        call to its answer, and are interpolated between the bounds of a histogram. Of several nodes, the
        figures are those of the one that is called. Requires the admin role.

        Examples:
          rpcctl top
          rpcctl top --once --interval 10s
          rpcctl server top --batch -o jsonl
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      if arguments[once], arguments[batch] {
        throw UsageError("--once and --batch cannot be combined")
      }
      let administration = try await invocation.administration()
      let sample: () async throws -> TopSample = {
        TopSample(try await administration.fetchMetrics(.init(), options: invocation.callOptions))
      }
      let interval = max(arguments[interval], .milliseconds(100))
      let output = invocation.output
      let isText =
        arguments[once] || arguments[batch] ? !output.asksForData : output.format == .table
      let prints = arguments[once] || arguments[batch] || !isText
      if !prints, let terminal = TopTerminal() {
        defer { terminal.restore() }
        try await run(on: terminal, every: interval, sample)
      } else {
        try await print(
          output,
          asText: isText,
          every: interval,
          repeats: arguments[batch],
          sample
        )
      }
      return .success
    }
  )

  private static func print(
    _ output: Output,
    asText isText: Bool,
    every interval: Duration,
    repeats: Bool,
    _ sample: () async throws -> TopSample
  ) async throws {
    if repeats, !isText { output.beginStream() }
    var before = try await sample()
    repeat {
      try await pause(interval)
      let now = try await sample()
      let figures = TopFigures(now, since: before)
      before = now
      if isText {
        output.write(text: TopPage(figures: figures).lines.joined(separator: "\n") + "\n")
        if repeats { output.write(text: "\n") }
      } else if repeats {
        output.write(line: figures.json)
      } else {
        output.write(figures.json)
      }
    } while repeats
  }

  private static func pause(_ interval: Duration) async throws {
    do {
      try await Task.sleep(for: interval)
    } catch {
      throw Interrupted()
    }
  }

  private enum Moment: Sendable {
    case due
    case event(TopTerminal.Event?)
  }

  /// Shows figures until a key ends it.
  private static func run(
    on terminal: TopTerminal,
    every interval: Duration,
    _ sample: () async throws -> TopSample
  ) async throws {
    var before: TopSample?
    var now = try await sample()
    var figures = TopFigures(now, since: nil)
    var due = ContinuousClock.now.advanced(by: interval)
    show(figures, on: terminal)
    let (moments, continuation) = AsyncStream<Moment>.makeStream(
      bufferingPolicy: .bufferingNewest(64)
    )
    let keys = Task {
      for await event in terminal.events { continuation.yield(.event(event)) }
      continuation.yield(.event(nil))
    }
    let clock = Task {
      while !Task.isCancelled {
        try await Task.sleep(until: due, clock: .continuous)
        due = max(due.advanced(by: interval), .now)
        continuation.yield(.due)
      }
    }
    defer {
      keys.cancel()
      clock.cancel()
    }
    for await moment in moments {
      switch moment {
      case .due:
        before = now
        now = try await sample()
        figures = TopFigures(now, since: before)
      case .event(nil), .event(.key(UInt8(ascii: "q"))): return
      case .event(.key), .event(.resized): break
      }
      show(figures, on: terminal)
    }
    throw Interrupted()
  }

  private static func show(_ figures: TopFigures, on terminal: TopTerminal) {
    let size = terminal.size
    terminal.show(TopPage.lines(figures, columns: size.columns, rows: size.rows))
  }
}
