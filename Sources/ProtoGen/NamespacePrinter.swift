/// Prints the namespaces of a module's packages, each once.
enum NamespacePrinter {
  /// The file, or `nil` if no file has a package.
  static func print(_ packages: Set<String>, _ options: GeneratorOptions) -> PluginResponse.File? {
    let named = packages.filter { !$0.isEmpty }.sorted()
    guard !named.isEmpty else { return nil }
    var printer = SourcePrinter()
    for line in FilePrinter.header("all .proto files").dropLast() { printer.line(line) }
    for package in named {
      guard let namespace = SwiftNames.namespace(package) else { continue }
      printer.line()
      printer.documentation(["The package `\(package)`."])
      printer.line("\(options.access.prefix)enum \(SwiftNames.escaped(namespace)) {}")
    }
    return PluginResponse.File(name: "Namespaces.pb.swift", content: printer.text)
  }
}
