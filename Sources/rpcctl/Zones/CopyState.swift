internal import CommandLineTools
internal import TidingsJSON

/// How far a copy of a zone came: what the file of `--state` holds.
struct CopyState: Equatable {
  /// What was copied, and where to, for people and to tell one copy from another.
  let route: String
  /// Everything up to here is there.
  var token: [UInt8] = []

  /// A copy that begins.
  init(route: String) { self.route = route }

  /// The state in a file, if it is of this copy.
  init(_ text: [UInt8], path: String, route: String) throws(UsageError) {
    let object = (try? JSONValue(parsing: text))?.object
    guard object?["tidings"]?.string == "copy", let found = object?["route"]?.string,
      let token = object?["changeToken"]?.string.flatMap(Base64.decode)
    else { throw UsageError("'\(path)' is not the state of a copy") }
    guard found == route else {
      throw UsageError("'\(path)' is of a copy of \(found), and this one is of \(route)")
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
