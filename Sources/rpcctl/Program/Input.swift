internal import CommandLineTools
internal import TidingsJSON

/// A failure on the client's side.
struct LocalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The source of JSON arguments: inline, `@file`, or `-` for standard input.
struct Input: Sendable {
  /// Reads a file; `nil`: standard input.
  let read: @Sendable (_ path: String?) throws -> [UInt8]
  /// Opens a file at an offset, for reading in chunks; `nil`: standard input.
  let open: @Sendable (_ path: String?, _ offset: Int) throws -> any ByteSource

  /// An input that is read at once.
  init(_ read: @escaping @Sendable (_ path: String?) throws -> [UInt8]) {
    self.read = read
    open = { MemorySource(try read($0), offset: $1) }
  }

  private init() {
    read = { path in
      let source = try FileSource(path, offset: 0)
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try source.read(into: &buffer, from: 0)
        if count == 0 { return bytes }
        bytes += buffer[..<count]
      }
    }
    open = { try FileSource($0, offset: $1) }
  }

  /// Files and standard input of the process.
  static let system = Input()

  /// Reads a file that the user named as the object of the command.
  ///
  /// - Throws: `NotFound` if it does not exist.
  func readNamed(_ path: String) throws -> [UInt8] {
    do {
      return try read(path)
    } catch let error as LocalFailure where !AtomicFile.exists(path) {
      throw NotFound("\(error)")
    }
  }

  /// Returns the values of one argument: a value, JSON lines, or a list of values.
  ///
  /// The argument is JSON, `@file` or `-`; errors name the option.
  func values(_ argument: String, _ option: String) throws -> [JSONValue] {
    do {
      return try JSONValue.sequence(parsing: try bytes(argument)).flatMap { value in
        value.array ?? [value]
      }
    } catch let error as JSONSyntaxError {
      throw UsageError("\(option) \(source(argument)) is not JSON: \(error)\(hint(argument))")
    }
  }

  /// Returns the single value of an argument.
  func value(_ argument: String, _ option: String) throws -> JSONValue {
    do {
      return try JSONValue(parsing: try bytes(argument))
    } catch let error as JSONSyntaxError {
      throw UsageError("\(option) \(source(argument)) is not JSON: \(error)")
    }
  }

  private func bytes(_ argument: String) throws -> [UInt8] {
    if argument == "-" { return try read(nil) }
    if argument.hasPrefix("@") { return try read(String(argument.dropFirst())) }
    return Array(argument.utf8)
  }

  /// Returns a hint for an argument that looks like a file name.
  private func hint(_ argument: String) -> String {
    guard let first = argument.first, !"-@{[ \n".contains(first) else { return "" }
    return "; to read a file, use @\(argument.prefix(40))"
  }

  private func source(_ argument: String) -> String {
    if argument == "-" { return "(standard input)" }
    return argument.hasPrefix("@") ? "(\(argument.dropFirst()))" : "'\(argument.prefix(40))'"
  }
}
