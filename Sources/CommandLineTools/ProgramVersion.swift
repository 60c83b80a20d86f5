/// What `--version` shows of a program: with `--verbose` also the C libraries that are loaded, as they name themselves.
public struct ProgramVersion: Sendable {
  /// A library of the system that a program uses.
  public struct Library: Sendable {
    /// Its usual name.
    public let name: String
    /// As it names it itself.
    public let version: String

    /// A library.
    public init(_ name: String, _ version: String) {
      self.name = name
      self.version = version
    }
  }

  /// The name of the program.
  public let program: String
  /// Its version.
  public let version: String
  /// What it uses of the system.
  public let libraries: [Library]

  /// The version of a program.
  public init(_ program: String, _ version: String, libraries: [Library]) {
    self.program = program
    self.version = version
    self.libraries = libraries
  }

  /// One line, and one more for each library if they are wanted.
  public func text(verbose: Bool) -> String {
    let lines = verbose ? libraries.map { "  \($0.name) \($0.version)" } : []
    return (["\(program) \(version)"] + lines).joined(separator: "\n") + "\n"
  }
}
