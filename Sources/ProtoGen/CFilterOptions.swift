/// What a user can choose: the text after `--tidings-c_opt=`.
struct CFilterOptions {
  /// A path, or a name to look up in PATH.
  var protocGenC = "protoc-gen-c"
  /// The name of the C target, for its module map.
  var module: String?

  /// Reads `key=value` pairs, separated by commas.
  init(_ text: String) throws(GenerationError) {
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else { throw GenerationError("option \(pair) has no value") }
      switch parts[0] {
      case "protoc_gen_c": protocGenC = parts[1]
      case "c_module": module = parts[1]
      default:
        throw GenerationError("unknown option \(parts[0]); there are c_module and protoc_gen_c")
      }
    }
  }
}
