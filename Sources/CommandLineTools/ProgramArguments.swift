internal import Glibc

/// The words of this process's command line.
public enum ProgramArguments {
  /// All words, the program's own name first.
  ///
  /// Swift locates its own copy by walking back from the environment, and finds nothing if a preloaded
  /// library has moved that with setenv(3): the program would run without arguments. The system
  /// keeps the original command line.
  public static let all: [String] = {
    let bytes = systemBytes()
    guard bytes.last == 0 else { return CommandLine.arguments }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }()

  /// All words but the program's own name.
  public static var own: ArraySlice<String> { all.dropFirst() }

  /// The values of options in this process's environment, by the names of their variables.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - prefix: The prefix of the variables.
  /// - Returns: Those that are set.
  public static func environment(of options: [Option], prefix: String) -> [String: String] {
    var result: [String: String] = [:]
    for option in options {
      let name = option.variable(prefix: prefix)
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
    return result
  }

  /// Returns the words, each ending in a zero byte; empty if the system does not provide them.
  private static func systemBytes() -> [UInt8] {
    let file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? [] : bytes }
      bytes += piece[..<count]
    }
  }
}
