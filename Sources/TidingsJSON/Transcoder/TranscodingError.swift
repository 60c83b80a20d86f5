/// JSON that does not fit a message, or bytes that are not one.
public struct TranscodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right.
  public let reason: String
  /// The way to the value, for example `recordsToSave[0].fields["price"]`; empty: the message itself.
  public private(set) var path: String

  init(_ reason: String) {
    self.reason = reason
    path = ""
  }

  /// The same error, seen from outside a member, an element or an entry.
  func inside(_ component: String) -> Self {
    var outer = self
    let joins = path.isEmpty || path.hasPrefix("[")
    outer.path = joins ? component + path : "\(component).\(path)"
    return outer
  }

  /// Where and what.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// Runs a step whose errors are in a part of the value.
func within<Result>(
  _ component: @autoclosure () -> String,
  _ step: () throws(TranscodingError) -> Result
) throws(TranscodingError) -> Result {
  do {
    return try step()
  } catch {
    throw error.inside(component())
  }
}

/// How an entry of a map is shown in a path.
func entry(_ key: String) -> String { "[\(JSONValue.string(key))]" }
