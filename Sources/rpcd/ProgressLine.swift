import Glibc

/// How far a command is, on standard error: a line on a terminal that is replaced, elsewhere a line now and then, or
/// none.
final class ProgressLine {
  private static let interval = Duration.milliseconds(100)

  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let lineInterval: Duration?
  private var next = ContinuousClock.now
  private var last = ""

  /// A line.
  ///
  /// - Parameter lineInterval: How often a line is written where there is no terminal; `nil`: never.
  init(lineInterval: Duration? = nil) { self.lineInterval = lineInterval }

  /// Shows the text of a step, unless that was done a moment ago.
  func update(_ step: String, _ text: () -> String) {
    guard let interval = isTerminal ? Self.interval : lineInterval else { return }
    guard step != last || .now >= next else { return }
    (last, next) = (step, .now + interval)
    show(isTerminal ? "\r\u{1B}[K\(text())" : "\(text())\n")
  }

  /// Removes the line from the terminal.
  func end() {
    if isTerminal, !last.isEmpty { show("\r\u{1B}[K") }
    last = ""
  }
}
