/// The modules that a generated Python file imports, and what messages are called there.
struct PythonImports {
  private let types: TypeIndex
  /// The name that each module has in the file, by the module's full name.
  private let names: [String: String]

  /// What the methods of a file's services need.
  ///
  /// - Throws: When a name is a Python keyword, so that no import can name it.
  init(_ file: FileModel, _ types: TypeIndex) throws(GenerationError) {
    self.types = types
    var modules: Set<String> = []
    for service in file.services {
      for type in service.methods.flatMap({ [$0.input, $0.output] }) {
        guard let entry = types.entries[type] else { continue }
        for part in type.split(separator: ".") + entry.file.split(separator: "/")
        where PythonNames.isKeyword(String(part)) {
          throw GenerationError(
            "\(file.name): '\(part)' in \(type) is a Python keyword; give it another name"
          )
        }
        modules.insert(PythonNames.messageModule(entry.file))
      }
    }
    let byName = Dictionary(grouping: modules, by: Self.lastName)
    names = modules.reduce(into: [:]) { names, module in
      let last = Self.lastName(module)
      let isUnique = byName[last]?.count == 1
      names[module] = isUnique ? last : module.split(separator: ".").joined(separator: "_")
    }
  }

  /// The import statements, sorted by module.
  var lines: [String] {
    names.sorted { $0.key < $1.key }.map { module, name in
      let last = Self.lastName(module)
      let package = module.dropLast(last.count + 1)
      let renaming = name == last ? "" : " as \(name)"
      return package.isEmpty
        ? "import \(module)\(renaming)" : "from \(package) import \(last)\(renaming)"
    }
  }

  /// A message's class: `record_pb2.Record`.
  func type(_ fullName: String) -> String {
    guard let entry = types.entries[fullName] else { return fullName }
    let module = names[PythonNames.messageModule(entry.file), default: ""]
    let path = entry.package.isEmpty ? fullName[...] : fullName.dropFirst(entry.package.count + 1)
    return "\(module).\(path)"
  }

  private static func lastName(_ module: String) -> String {
    String(module.split(separator: ".").last ?? "")
  }
}
