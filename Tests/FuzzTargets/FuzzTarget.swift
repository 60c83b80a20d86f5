internal import TidingsRPC

/// Something that reads bytes from a stranger, and what must hold whatever the bytes are.
public struct FuzzTarget: Sendable {
  /// Its name, also that of its folder in `Tests/FuzzCorpus`.
  public let name: String
  /// Reads the bytes; throws `FuzzFinding` when something does not hold.
  public let run: @Sendable (UnsafeRawBufferPointer) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void) {
    self.name = name
    self.run = run
  }

  /// All targets; only in debug builds those that look into libraries (`@testable`).
  #if DEBUG
  public static let all = model + wire + client + server + web + files
  #else
  public static let all = wire
  #endif

  /// The names of all targets.
  public static let names = all.map(\.name)

  /// The methods, by the number that stands for each in inputs.
  public static let methodNames = CallTable.entries.map(\.method.fullName)
}

/// What does not hold.
public struct FuzzFinding: Error, CustomStringConvertible {
  public let description: String
}

/// Requires something to hold.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFinding) {
  guard condition else { throw FuzzFinding(description: message()) }
}

/// The input as text; `nil`: it is none, which no caller could pass on.
func text(_ bytes: UnsafeRawBufferPointer) -> String? {
  String(validating: bytes, as: UTF8.self)
}
