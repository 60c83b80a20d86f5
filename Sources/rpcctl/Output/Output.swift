internal import CommandLineTools
internal import TidingsJSON
internal import TidingsRPC

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// How results are printed.
enum OutputFormat: String, Sendable {
  case table
  case json
  case jsonl
}

/// Data on standard output, messages on standard error.
struct Output: Sendable {
  private(set) var format: OutputFormat
  /// Errors are JSON too: a program asked for it, rather than a pipe being there.
  private var failsInJSON = false
  /// Messages go to a terminal: how far long work has come may be shown.
  let showsProgress: Bool
  private let writeData: @Sendable ([UInt8]) -> Void
  private let writeMessage: @Sendable ([UInt8]) -> Void

  init(
    format: OutputFormat,
    showsProgress: Bool = false,
    writeData: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    self.showsProgress = showsProgress
    self.writeData = writeData
    self.writeMessage = writeMessage
  }

  /// The process's own: a table on a terminal, else JSON lines.
  static let system = Output(
    format: isatty(STDOUT_FILENO) == 1 ? .table : .jsonl,
    showsProgress: isatty(STDERR_FILENO) == 1,
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

  /// The same output in a format that was asked for.
  func asked(for format: OutputFormat) -> Self {
    var output = self
    output.format = format
    output.failsInJSON = format != .table
    return output
  }

  /// Prints text.
  func write(text: String) { writeData(Array(text.utf8)) }

  /// Prints a value as it is asked for: indented, or on one line.
  func write(_ value: JSONValue) {
    writeData(value.text(isPretty: format != .jsonl) + [UInt8(ascii: "\n")])
  }

  /// Prints a value on one line.
  func write(line value: JSONValue) { writeData(value.text() + [UInt8(ascii: "\n")]) }

  /// Prints a list: a table of it, an array, or a line for each element.
  func write(_ list: [JSONValue], table: () -> Table) {
    switch format {
    case .table: write(text: table().description)
    case .json: write(.array(list))
    case .jsonl: for value in list { write(line: value) }
    }
  }

  /// Tells something that is not data.
  func tell(_ message: String) { writeMessage(Array("\(message)\n".utf8)) }

  /// Shows how far work has come, in place of what was shown before.
  func show(progress: String) { writeMessage(Array("\r\u{1B}[K\(progress)".utf8)) }

  /// Removes what `show(progress:)` showed.
  func endProgress() { if showsProgress { writeMessage(Array("\r\u{1B}[K".utf8)) } }

  /// Prints bytes as they are.
  func write(bytes: [UInt8]) { writeData(bytes) }

  /// Tells why the program fails, and returns how it ends.
  func fail(_ error: any Error) -> ExitCode {
    let failure = Failure(error)
    tell(failsInJSON ? failure.json.description : failure.text)
    return failure.exitCode
  }
}

#if canImport(Glibc)
private let systemWrite = Glibc.write
#else
private let systemWrite = Musl.write
#endif
