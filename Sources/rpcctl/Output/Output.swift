internal import CommandLineTools
internal import TidingsJSON
internal import TidingsRPC

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Data on standard output, messages on standard error.
struct Output: Sendable {
  /// What verbs make of their results.
  var format: OutputFormat { results.format }
  /// A notation was asked for, other than a table.
  var asksForData: Bool { ![.auto, .table, .wide].contains(results.notation) }
  /// Cells of tables are not cut.
  var isWide: Bool { results.notation == .wide }
  /// How far long work has come may be shown: messages go to a terminal.
  var showsProgress: Bool { terminals.messages && !isQuiet && !hidesProgress }
  /// Only errors are told.
  var isQuiet = false
  /// Progress is not shown, whoever looks.
  var hidesProgress = false
  /// Errors are JSON too: a program asked for it, rather than a pipe being there.
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
  ///   - format: What results are where no notation is asked for.
  ///   - terminals: Which of the two streams are terminals.
  ///   - writeData: Takes results.
  ///   - writeMessage: Takes messages.
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

  /// The process's own: a table on a terminal, else JSON lines.
  static let system = Output(
    format: isatty(STDOUT_FILENO) == 1 ? .table : .jsonl,
    terminals: (isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1),
    writeData: { write($0, to: STDOUT_FILENO) },
    writeMessage: { write($0, to: STDERR_FILENO) }
  )

  /// Writes to a stream of the process, or ends it: what is lost must not look like success.
  private static func write(_ bytes: [UInt8], to descriptor: CInt) {
    switch writeAll(bytes, to: descriptor) {
    case 0: return
    case EPIPE: exit(ExitCode.brokenPipe.rawValue)
    case let number where descriptor == STDOUT_FILENO:
      let reason = String(cString: strerror(number))
      _ = writeAll(Array("rpcctl: cannot write the output: \(reason)\n".utf8), to: STDERR_FILENO)
      exit(ExitCode.localFailure.rawValue)
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

  /// The same output in a notation that was asked for.
  func asked(for notation: ResultNotation, fields: FieldSelection? = nil) -> Self {
    var output = self
    output.results = ResultWriter(usual: results.usual, notation, fields)
    output.failsInJSON = notation.failsInJSON
    return output
  }

  /// Prints text, in tables: what is not a result by itself.
  ///
  /// Parts of it are other users' words, which must not command the terminal.
  func write(text: String) { write(raw: text.terminalText(keepsLines: true)) }

  /// Prints text as it is.
  private func write(raw text: String) { writeData(Array(text.utf8)) }

  /// Prints a value as it is asked for: indented, or on one line.
  func write(_ value: JSONValue) { write(results.add(value, .single)) }

  /// Prints one of many values: on one line.
  func write(line value: JSONValue) { write(results.add(value, .oneOfMany)) }

  /// Prints where a page of lines ends: no result, but what is needed to go on.
  func write(end value: JSONValue) {
    if results.hasPlainLines { return write(line: value) }
    for (name, value) in FieldSelection.flattened(value) {
      tell("\(name) \(printable(CSVText.cell(value)))")
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

  /// Results come over a long time: each is printed at once.
  func beginStream() { results.beginStream() }

  /// Prints what was kept until all results are known.
  func finish() {
    write(results.finish())
    if let remark = results.remark { tell("rpcctl: \(remark)") }
  }

  private func write(_ text: ResultText) {
    if !text.head.isEmpty { write(head: text.head) }
    // CSV for a program is as it is stored; the other notations have escapes of their own.
    let isData = results.notation != .csv || !terminals.data
    if !text.body.isEmpty { isData ? write(raw: text.body) : write(text: text.body) }
    for failure in text.failures { tellAlways("rpcctl: \(failure)") }
  }

  /// Tells something that is not data.
  func tell(_ message: String) { if !isQuiet { tellAlways(message) } }

  /// Tells what helps on, and is not news.
  func hint(_ message: String) {
    if !isQuiet { write(message: colors.dim(message.terminalText(keepsLines: true))) }
  }

  /// Tells what must not be missed.
  func tellAlways(_ message: String) { write(message: message.terminalText(keepsLines: true)) }

  private func write(message: String) { writeMessage(Array("\(message)\n".utf8)) }

  /// Asks something: the answer is to stand on the same line.
  func ask(_ question: String) { writeMessage(Array(question.terminalText().utf8)) }

  /// Shows how far work has come, in place of what was shown before.
  func show(progress: String) {
    writeMessage(Array("\r\u{1B}[K\(progress.terminalText())".utf8))
  }

  /// Removes what `show(progress:)` showed.
  func endProgress() { if showsProgress { writeMessage(Array("\r\u{1B}[K".utf8)) } }

  /// Prints bytes as they are.
  func write(bytes: [UInt8]) { writeData(bytes) }

  /// Tells why the program fails, and returns how it ends.
  func fail(_ error: any Error) -> ExitCode {
    let failure = Failure(error)
    let text = failure.text.terminalText(keepsLines: true)
    write(message: failsInJSON ? failure.json.description : colors.failure(text))
    return failure.exitCode
  }
}

#if canImport(Glibc)
private let systemWrite = Glibc.write
#else
private let systemWrite = Musl.write
#endif
