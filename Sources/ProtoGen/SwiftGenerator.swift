/// Generates Swift for the messages, enums and services of .proto files.
public enum SwiftGenerator {
  /// Answers protoc.
  ///
  /// - Parameter request: The encoded CodeGeneratorRequest.
  /// - Returns: The encoded CodeGeneratorResponse; what is wrong with the input is its `error`.
  public static func respond(to request: [UInt8]) -> [UInt8] {
    do {
      let response = PluginResponse(files: try generate(PluginRequest(request)))
      return response.encoded()
    } catch {
      return PluginResponse(error: error.description).encoded()
    }
  }

  static func generate(
    _ request: PluginRequest
  ) throws(GenerationError) -> [PluginResponse.File] {
    let options = try GeneratorOptions(request.parameter)
    var files: [FileModel] = []
    for file in request.protoFiles { files.append(try DescriptorReader.read(file)) }
    let generated = Set(request.filesToGenerate)
    let paths = FilePrinter.paths(generated)
    let types = TypeIndex(files)
    let layout = MessageLayout(types.messages)
    let filesByName = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }

    var output: [PluginResponse.File] = []
    var packages: Set<String> = []
    for file in files where generated.contains(file.name) {
      guard file.syntax == "proto3" else {
        throw GenerationError("\(file.name) is \(file.syntax); write syntax = \"proto3\"")
      }
      let context = FileContext(file: file, options: options, types: types, layout: layout)
      let printer = FilePrinter(context: context, files: filesByName, generated: generated)
      output.append(
        PluginResponse.File(
          name: paths[file.name, default: file.name],
          content: try printer.print()
        )
      )
      packages.insert(file.package)
    }
    if let namespaces = NamespacePrinter.print(packages, options) { output.append(namespaces) }
    return output
  }
}
