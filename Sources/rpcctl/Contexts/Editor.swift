internal import TidingsFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The user's editor: `$VISUAL`, `$EDITOR`, or `vi`.
struct Editor: Sendable {
  /// The environment's variables that name it.
  static let variables = ["VISUAL", "EDITOR", "TMPDIR"]

  /// Largest text that is taken back, in bytes.
  private static let bytesMax = 16 << 20

  private let command: String
  private let folder: String

  init(_ environment: [String: String]) {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    command = named ?? "vi"
    folder = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }

  /// Lets the user edit a text, in a file of its owner's alone.
  ///
  /// - Parameters:
  ///   - text: What the file holds first.
  ///   - suffix: What the file's name ends with, by which editors know its kind: `.json`.
  ///   - check: Refuses what cannot be; the user may then edit it again.
  ///   - again: Asks the user whether to edit again, after what `check` threw.
  /// - Returns: The new text; `nil` when it is the same.
  /// - Throws: `LocalFailure` when the editor cannot be run or ends with a failure; what `check` threw
  ///   when the user gives up.
  func edit(
    _ text: String,
    suffix: String,
    check: (String) throws -> Void = { _ in },
    again: (any Error) -> Bool = { _ in false }
  ) throws -> String? {
    let path = "\(folder)/rpcctl-\(String(UInt64.random(in: .min ... .max), radix: 36))\(suffix)"
    let file = try File(path: path, .createNew)
    defer { try? Folder.remove(path) }
    try file.write(Array(text.utf8)[...], at: 0)
    while true {
      try run(path)
      // Editors may put another file in its place.
      let changed = try File(path: path, .read)
      let bytes = try changed.read(at: 0, count: min(Int(try changed.size), Self.bytesMax))
      guard let result = String(validating: bytes, as: UTF8.self) else {
        throw LocalFailure("what the editor wrote is not UTF-8 text")
      }
      do {
        try check(result)
        return result == text ? nil : result
      } catch {
        guard again(error) else { throw error }
      }
    }
  }

  private func run(_ path: String) throws {
    let arguments = ["/bin/sh", "-c", "\(command) \"$1\"", "sh", path]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // The editor has the terminal, and Ctrl-C is the editor's.
    Interruption.isLeftToChild = true
    defer { Interruption.isLeftToChild = false }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGINT] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var pid = pid_t()
    let code = posix_spawn(&pid, "/bin/sh", nil, &attributes, &words, environ)
    guard code == 0 else {
      throw LocalFailure("cannot run /bin/sh: \(String(cString: strerror(code)))")
    }
    var status: CInt = 0
    while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    guard status == 0 else {
      throw LocalFailure("the editor '\(command)' ended with a failure; nothing was changed")
    }
  }
}
