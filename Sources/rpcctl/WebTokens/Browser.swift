internal import Glibc

/// The user's web browser.
struct Browser: Sendable {
  /// The shell command, which gets the link as its argument.
  let command: String

  /// The browser of the environment, or the system's.
  init(_ environment: [String: String]) {
    let own = environment["BROWSER"] ?? ""
    command = own.isEmpty ? "xdg-open" : own
  }

  /// Opens a link.
  ///
  /// - Throws: `CommandFailure` when there is no browser.
  func open(_ link: String) async throws {
    // The link is passed as an argument of the shell: it does not become part of the command line.
    try await ShellCommand("\(command) \"$(cat)\" >/dev/null 2>&1 </dev/null").run(Array(link.utf8))
  }
}
