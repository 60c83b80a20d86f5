internal import CommandLineTools
internal import Glibc
internal import TidingsJSON
internal import TidingsRPC

/// The output of the program: data on standard output, messages on standard error.
struct Output: Sendable {
  /// The form in which verbs produce their results.
  var format: OutputFormat { results.format }
  /// Whether a notation other than a table was requested.
  var asksForData: Bool { ![.auto, .table, .wide].contains(results.notation) }
  /// Whether table cells are never truncated.
  var isWide: Bool { results.notation == .wide }
  /// Whether progress may be shown: messages go to a terminal.
  var showsProgress: Bool { terminals.messages && !isQuiet && !hidesProgress }
  /// Only errors and warnings are printed.
  var isQuiet = false
  /// Progress is never shown.
  var hidesProgress = false
  /// Errors are JSON too, because a data notation was requested.
  var failsInJSON = false
  var colors = Colors()

  /// Which of the two streams are terminals.
  let terminals: (data: Bool, messages: Bool)
  private(set) var results: ResultWriter
  private let writeData: @Sendable ([UInt8]) -> Void
  private let writeMessage: @Sendable ([UInt8]) -> Void

  /// An output.
  ///
  /// - Parameters:
  ///   - format: The form of results when no notation is requested.
  ///   - terminals: Which of the two streams are terminals.
  ///   - writeData: Writes results.
  ///   - writeMessage: Writes messages.
  init(
    format: OutputFormat,
    terminals: (data: Bool, messages: Bool) = (false, false),
    writeData: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.terminals = terminals
    self.writeData = writeData
    self.writeMessage = writeMessage
    results = ResultWriter(usual: format, .auto, nil)
  }

  /// The output of the process: a table on a terminal, JSON lines otherwise.
  static let system = Output(
    format: isatty(STDOUT_FILENO) == 1 ? .table : .jsonl,
    terminals: (isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1),
    writeData: { write($0, to: STDOUT_FILENO) },
    writeMessage: { write($0, to: STDERR_FILENO) }
  )

  /// Writes to a stream of the process; exits if that fails, since lost output must not look like success.
  private static func write(_ bytes: [UInt8], to descriptor: CInt) {
    switch writeAll(bytes, to: descriptor) {
    case 0: return
    case EPIPE: endProcess(ExitCode.brokenPipe.rawValue)
    case let number where descriptor == STDOUT_FILENO:
      let reason = String(cString: strerror(number))
      _ = writeAll(Array("rpcctl: cannot write the output: \(reason)\n".utf8), to: STDERR_FILENO)
      endProcess(ExitCode.localFailure.rawValue)
    default: return
    }
  }

  /// Writes all bytes to a file.
  ///
  /// - Returns: 0, or the error's number.
  static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR, errno != EAGAIN {
        return errno
      }
    }
    return 0
  }

  /// Returns the same output with another notation.
  func using(_ notation: ResultNotation, fields: FieldSelection? = nil) -> Self {
    var output = self
    output.results = ResultWriter(usual: results.usual, notation, fields)
    output.failsInJSON = notation.failsInJSON
    return output
  }

  /// Prints text in tables: anything that is not a result by itself.
  ///
  /// The text may come from other users: control characters are escaped.
  func write(text: String) { write(raw: text.terminalText(keepsLines: true)) }

  /// Prints text as it is.
  private func write(raw text: String) { writeData(Array(text.utf8)) }

  /// Prints a value, indented or on one line.
  func write(_ value: JSONValue) { write(results.add(value, .single)) }

  /// Prints one of many values: on one line.
  func write(line value: JSONValue) { write(results.add(value, .oneOfMany)) }

  /// Prints the end of a page of lines: the token to resume from.
  func write(end value: JSONValue) {
    if results.hasPlainLines { return write(line: value) }
    for (name, value) in FieldSelection.flattened(value) {
      log("\(name) \(printable(CSVText.cell(value)))")
    }
  }

  /// Prints a list: a table of it, an array, or a line for each element.
  func write(_ list: [JSONValue], table: () -> Table) {
    guard format != .table else { return write(table()) }
    write(results.add(list))
  }

  /// Prints a table.
  func write(_ table: Table) {
    let text = table.description
    let head = text.prefix { !$0.isNewline }
    write(head: String(head))
    write(text: String(text.dropFirst(head.count)))
  }

  /// Prints the head of a table, with or without its line break.
  func write(head: String) { write(raw: colors.bold(head.terminalText(keepsLines: true))) }

  /// Starts a stream: each result is printed at once.
  func beginStream() { results.beginStream() }

  /// Prints the results that were buffered.
  func finish() {
    write(results.finish())
    if let remark = results.remark { log("rpcctl: \(remark)") }
  }

  private func write(_ text: ResultText) {
    if !text.head.isEmpty { write(head: text.head) }
    // CSV for a program is verbatim; the other notations have escapes of their own.
    let isData = results.notation != .csv || !terminals.data
    if !text.body.isEmpty { isData ? write(raw: text.body) : write(text: text.body) }
    for failure in text.failures { warn("rpcctl: \(failure)") }
  }

  /// Logs a message on standard error, except with `--quiet`.
  func log(_ message: String) { if !isQuiet { warn(message) } }

  /// Logs a hint on standard error, except with `--quiet`.
  func hint(_ message: String) {
    if !isQuiet { write(message: colors.dim(message.terminalText(keepsLines: true))) }
  }

  /// Prints a warning or an error on standard error, even with `--quiet`.
  func warn(_ message: String) { write(message: message.terminalText(keepsLines: true)) }

  private func write(message: String) { writeMessage(Array("\(message)\n".utf8)) }

  /// Prints a prompt, without a line break.
  func ask(_ question: String) { writeMessage(Array(question.terminalText().utf8)) }

  /// Shows progress, replacing the previous line.
  func show(progress: String) {
    writeMessage(Array("\r\u{1B}[K\(progress.terminalText())".utf8))
  }

  /// Removes what `show(progress:)` showed.
  func endProgress() { if showsProgress { writeMessage(Array("\r\u{1B}[K".utf8)) } }

  /// Prints bytes as they are.
  func write(bytes: [UInt8]) { writeData(bytes) }

  /// Prints the error that ends the program, and returns the exit code.
  func fail(_ error: any Error) -> ExitCode {
    let failure = Failure(error)
    let text = failure.text.terminalText(keepsLines: true)
    write(message: failsInJSON ? failure.json.description : colors.failure(text))
    return failure.exitCode
  }
}

private let systemWrite = Glibc.write
