internal import CTerminal
internal import Dispatch
internal import Glibc
internal import TidingsJSON

/// A terminal that shows pages on its second screen, and takes keys one by one.
///
/// Unchecked: the sources are cancelled by `restore` alone.
final class TopTerminal: @unchecked Sendable {
  enum Event: Sendable {
    case key(UInt8)
    case resized
  }

  /// What happens, in order.
  let events: AsyncStream<Event>
  private let settings: termios
  private let sources: [any DispatchSourceProtocol]
  private let continuation: AsyncStream<Event>.Continuation

  /// Takes the terminal; `nil`: standard input and output are none.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetattr(STDIN_FILENO, &settings) == 0
    else { return nil }
    self.settings = settings
    let (events, continuation) = AsyncStream<Event>.makeStream(
      bufferingPolicy: .bufferingNewest(64)
    )
    (self.events, self.continuation) = (events, continuation)
    let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    keys.setEventHandler {
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else {
        keys.cancel()
        return continuation.finish()
      }
      continuation.yield(.key(byte))
    }
    let sizes = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
    sizes.setEventHandler { continuation.yield(.resized) }
    sources = [keys, sizes]
    // Signals keep their meaning; a suspended program would leave the second screen.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    keys.resume()
    sizes.resume()
    write("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// In cells.
  var size: (columns: Int, rows: Int) {
    let size = tidings_terminal_size(STDOUT_FILENO)
    return (size.ws_col == 0 ? 80 : Int(size.ws_col), size.ws_row == 0 ? 24 : Int(size.ws_row))
  }

  /// Shows lines in place of those before; control characters in them are escaped.
  func show(_ lines: [String]) {
    write(
      "\u{1B}[H" + lines.map { $0.terminalText() + "\u{1B}[K" }.joined(separator: "\r\n")
        + "\u{1B}[J"
    )
  }

  /// Gives the terminal back as it was.
  func restore() {
    for source in sources { source.cancel() }
    continuation.finish()
    write("\u{1B}[?25h\u{1B}[?1049l")
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private func write(_ text: String) { _ = Output.writeAll(Array(text.utf8), to: STDOUT_FILENO) }
}
