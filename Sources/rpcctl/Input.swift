internal import CommandLineTools
internal import TidingsJSON

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A failure on this side of the wire.
struct LocalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Where JSON comes from that the command line names: inline, `@file`, or `-` for standard input.
struct Input: Sendable {
  /// Reads a file; `nil`: standard input.
  let read: @Sendable (_ path: String?) throws -> [UInt8]

  static let system = Input { path in
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else {
      throw LocalFailure("cannot read '\(path ?? "")': \(String(cString: strerror(errno)))")
    }
    defer { if path != nil { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Self.read(descriptor, into: &buffer)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw LocalFailure(
          "cannot read \(path ?? "standard input"): \(String(cString: strerror(errno)))")
      }
      bytes += buffer[..<count]
    }
  }

  private static func read(_ descriptor: CInt, into buffer: inout [UInt8]) -> Int {
    #if canImport(Glibc)
    Glibc.read(descriptor, &buffer, buffer.count)
    #else
    Musl.read(descriptor, &buffer, buffer.count)
    #endif
  }

  /// The values that one argument gives: a value, JSON lines, or a list of values.
  ///
  /// - Parameters:
  ///   - argument: JSON, `@file` or `-`.
  ///   - option: Names the argument in errors.
  func values(_ argument: String, _ option: String) throws -> [JSONValue] {
    do {
      return try JSONValue.sequence(parsing: try bytes(argument)).flatMap { value in
        value.array ?? [value]
      }
    } catch let error as JSONSyntaxError {
      throw UsageError("\(option) \(source(argument)) is not JSON: \(error)")
    }
  }

  /// The one value that an argument gives.
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

  private func source(_ argument: String) -> String {
    if argument == "-" { return "(standard input)" }
    return argument.hasPrefix("@") ? "(\(argument.dropFirst()))" : "'\(argument.prefix(40))'"
  }
}
