internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads lines from a terminal, edited with libedit.
///
/// The library is loaded when the first line is read, so that rpcctl does not depend on it and starts
/// faster.
final class LineEditor: Sendable {
  /// Returns completions for the end of a line: whole words.
  typealias Complete = @Sendable (_ line: String) -> [String]

  /// libedit keeps its state in globals: all calls are made on one queue.
  private let queue = DispatchQueue(label: "LineEditor")
  private let library: Library
  private let historyPath: String?

  /// An editor; `nil` without a terminal or without the library.
  init?(historyPath: String?, complete: @escaping Complete) {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, let library = Library() else {
      return nil
    }
    self.library = library
    self.historyPath = historyPath
    Self.completion.withLock { $0 = complete }
    library.attemptedCompletion.pointee = Self.attempt
    library.useHistory()
    library.stifleHistory(ReplHistory.linesMax)
    if let historyPath { _ = library.readHistory(historyPath) }
  }

  /// Reads the next line; `nil` at the end.
  func readLine(_ prompt: String) async -> String? {
    await withCheckedContinuation { continuation in
      queue.async { [library] in
        guard let line = library.readLine(prompt) else {
          return continuation.resume(returning: nil)
        }
        defer { free(line) }
        continuation.resume(returning: String(cString: line))
      }
    }
  }

  /// Adds a line to the history, in memory and in the file.
  func remember(_ line: String) {
    queue.async { [library, historyPath] in
      _ = library.addHistory(line)
      if let historyPath { _ = library.writeHistory(historyPath) }
    }
  }

  // MARK: Completion

  private static let completion = Mutex<Complete?>(nil)

  /// Called by libedit with the word before the cursor, from `start` to `end` of the line.
  private static let attempt: Library.Attempt = { word, start, end in
    guard let word, let line = Library.lineBuffer, end >= start else { return nil }
    let typed = String(cString: word)
    let text = String(decoding: UnsafeRawBufferPointer(start: line, count: Int(end)), as: UTF8.self)
    guard let complete = completion.withLock(\.self) else { return nil }
    // Candidates are whole words, of which libedit may see only the last part.
    let whole = ShellWords(text).typed.last ?? ""
    guard whole.hasSuffix(typed) else { return nil }
    let head = whole.dropLast(typed.count)
    let found = complete(text).filter { $0.hasPrefix(whole) }.map {
      String($0.dropFirst(head.count))
    }
    guard let first = found.first else { return nil }
    // The first entry is the common prefix, as in readline.
    let common = found.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let list = found.count == 1 ? found : [common] + found
    let size = (list.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    guard let memory = malloc(size) else { return nil }
    // libedit frees the strings and the list.
    let strings = memory.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: list.count + 1)
    for (index, text) in list.enumerated() { strings[index] = strdup(text) }
    strings[list.count] = nil
    return strings
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

/// The functions of libedit that are used, from its readline-compatible interface.
///
/// `@unchecked Sendable`: pointers to code and globals of a library that is never unloaded, which
/// `LineEditor` uses on one queue.
private struct Library: @unchecked Sendable {
  typealias Attempt =
    @convention(c) (UnsafePointer<CChar>?, CInt, CInt) ->
    UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  private typealias ReadLine = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
  private typealias TextCall = @convention(c) (UnsafePointer<CChar>) -> CInt
  private typealias Use = @convention(c) () -> Void
  private typealias Stifle = @convention(c) (CInt) -> Void

  private static let names = ["libedit.so.2", "libedit.so.0", "libedit.so"]
  // Written once, before its first use, and never closed.
  private nonisolated(unsafe) static let handle = names.lazy.compactMap {
    dlopen($0, RTLD_NOW | RTLD_LOCAL)
  }.first

  private let readLineCall: ReadLine
  private let addHistoryCall: TextCall
  private let readHistoryCall: TextCall
  private let writeHistoryCall: TextCall
  private let use: Use
  private let stifle: Stifle
  let attemptedCompletion: UnsafeMutablePointer<Attempt?>

  init?() {
    guard let readLine = Self.symbol("readline"), let add = Self.symbol("add_history"),
      let read = Self.symbol("read_history"), let write = Self.symbol("write_history"),
      let use = Self.symbol("using_history"), let stifle = Self.symbol("stifle_history"),
      let attempted = Self.symbol("rl_attempted_completion_function")
    else { return nil }
    readLineCall = unsafeBitCast(readLine, to: ReadLine.self)
    addHistoryCall = unsafeBitCast(add, to: TextCall.self)
    readHistoryCall = unsafeBitCast(read, to: TextCall.self)
    writeHistoryCall = unsafeBitCast(write, to: TextCall.self)
    self.use = unsafeBitCast(use, to: Use.self)
    self.stifle = unsafeBitCast(stifle, to: Stifle.self)
    attemptedCompletion = attempted.assumingMemoryBound(to: Attempt?.self)
  }

  private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    handle.flatMap { dlsym($0, name) }
  }

  /// The line being edited.
  static var lineBuffer: UnsafeMutablePointer<CChar>? {
    symbol("rl_line_buffer")?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee
  }

  func readLine(_ prompt: String) -> UnsafeMutablePointer<CChar>? { readLineCall(prompt) }
  func addHistory(_ line: String) -> CInt { addHistoryCall(line) }
  func readHistory(_ path: String) -> CInt { readHistoryCall(path) }
  func writeHistory(_ path: String) -> CInt { writeHistoryCall(path) }
  func useHistory() { use() }
  func stifleHistory(_ count: CInt) { stifle(count) }
}
