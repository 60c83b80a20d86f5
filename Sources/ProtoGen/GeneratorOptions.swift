/// What a user can choose: the text after `--tidings-swift_opt=`.
struct GeneratorOptions {
  /// How visible the generated declarations are.
  enum Access: String {
    case `public`, package, `internal`

    /// In front of a declaration.
    var prefix: String { self == .internal ? "" : rawValue + " " }
  }

  /// The C target that holds protoc-gen-c's output.
  var cModule = ""
  var access = Access.public
  /// Swift modules by the package whose messages they have.
  var moduleByPackage: [String: String] = [:]

  /// Reads `key=value` pairs, separated by commas.
  init(_ text: String) throws(GenerationError) {
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { String($0) }
      guard parts.count == 2 else { throw GenerationError("option \(pair) has no value") }
      try set(parts[0], to: parts[1])
    }
    guard !cModule.isEmpty else {
      throw GenerationError("option c_module is missing: c_module=NAME names the C target")
    }
  }

  private mutating func set(_ key: String, to value: String) throws(GenerationError) {
    switch key {
    case "c_module":
      cModule = value
    case "access":
      guard let access = Access(rawValue: value) else {
        throw GenerationError("access=\(value) is not one of public, package, internal")
      }
      self.access = access
    case "import":
      let parts = value.split(separator: ":").map { String($0) }
      guard parts.count == 2 else {
        throw GenerationError("import=\(value) is not import=PACKAGE:MODULE")
      }
      moduleByPackage[parts[0]] = parts[1]
    default:
      throw GenerationError("unknown option \(key); there are c_module, access and import")
    }
  }
}
