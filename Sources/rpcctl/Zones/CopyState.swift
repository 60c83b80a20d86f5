internal import CommandLineTools
internal import TidingsJSON

/// The state of a zone's copy: the content of the `--state` file.
struct CopyState: Equatable {
  /// Source and destination, for messages and to identify the copy.
  let route: String
  /// Everything up to this token is copied.
  var token: [UInt8] = []

  /// A new copy.
  init(route: String) { self.route = route }

  /// Reads the state in a file, which must be of this copy.
  init(_ text: [UInt8], path: String, route: String) throws(UsageError) {
    let object = (try? JSONValue(parsing: text))?.object
    guard object?["tidings"]?.string == "copy", let found = object?["route"]?.string,
      let token = object?["changeToken"]?.string.flatMap(Base64.decode)
    else { throw UsageError("'\(path)' is not a state file of a copy: name another file") }
    guard found == route else {
      throw UsageError("'\(path)' belongs to a copy of \(found), but this copy is of \(route)")
    }
    self.route = route
    self.token = token
  }

  /// The file's content.
  var text: [UInt8] {
    JSONValue.object([
      "tidings": .string("copy"), "route": .string(route),
      "changeToken": .string(Base64.encode(token)),
    ]).text() + [UInt8(ascii: "\n")]
  }
}
