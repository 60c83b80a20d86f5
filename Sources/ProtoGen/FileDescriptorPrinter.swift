/// Prints a file's serialized descriptor, which reflection shows to generic tools.
struct FileDescriptorPrinter {
  private static let lineLength = 92

  let context: FileContext
  let files: [String: FileModel]
  let generated: Set<String>

  func print(to printer: inout SourcePrinter) {
    printer.line()
    printer.block("extension TidingsProtobuf.FileDescriptor {") { printer in
      printDescriptor(context.file, access: context.access, to: &printer)
      for file in missingDependencies() {
        printer.line()
        printDescriptor(file, access: "fileprivate ", to: &printer)
      }
    }
  }

  /// What no Swift module has a descriptor for, such as files that only declare options.
  private func missingDependencies() -> [FileModel] {
    var seen: Set<String> = []
    var missing: [FileModel] = []
    func visit(_ file: FileModel) {
      for name in file.dependencies {
        guard let dependency = files[name], !isAvailable(dependency),
          seen.insert(name).inserted
        else { continue }
        missing.append(dependency)
        visit(dependency)
      }
    }
    visit(context.file)
    return missing
  }

  private func isAvailable(_ file: FileModel) -> Bool {
    generated.contains(file.name) || context.options.moduleByPackage[file.package] != nil
  }

  private func printDescriptor(
    _ file: FileModel,
    access: String,
    to printer: inout SourcePrinter
  ) {
    let name = SwiftNames.fileDescriptor(file.name)
    let dependencies = file.dependencies.map { "." + SwiftNames.fileDescriptor($0) }
    printer.documentation(["Describes \(file.name)."])
    printer.line("\(access)static let \(name) = TidingsProtobuf.FileDescriptor(")
    printer.indented { printer in
      printer.line("name: \"\(file.name)\",")
      printer.line("dependencies: [\(dependencies.joined(separator: ", "))],")
      printer.line("base64: \"\"\"")
      printer.indented { printer in
        var rest = Base64.encode(file.serialized)[...]
        while !rest.isEmpty {
          let line = rest.prefix(Self.lineLength)
          rest = rest.dropFirst(line.count)
          printer.line(line + (rest.isEmpty ? "" : "\\"))
        }
        printer.line("\"\"\")")
      }
    }
  }
}
