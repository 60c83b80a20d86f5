internal import CProtobufC
internal import DescriptorProtoC

/// Generates C with protoc-gen-c for .proto files that know nothing of it.
///
/// Edits the request on its way: each string field becomes bytes in C, since C strings end at U+0000,
/// and proto3 `optional` becomes the oneof with one member that stands for it anyway, which
/// protoc-gen-c understands. Comments do not reach C, and neither do functions that Swift does not call.
public enum CFilter {
  /// Answers protoc.
  ///
  /// - Parameter request: The encoded CodeGeneratorRequest.
  /// - Returns: The encoded CodeGeneratorResponse; what is wrong with the input is its `error`.
  public static func respond(to request: [UInt8]) -> [UInt8] {
    do {
      let request = try PluginRequest(request)
      let options = try CFilterOptions(request.parameter)
      let memory = CMemory()
      edit(request, memory)
      let answer = try Subprocess.run(options.protocGenC, input: request.encoded())
      return try rearranged(answer, request, options).encoded()
    } catch {
      return PluginResponse(error: error.description).encoded()
    }
  }

  // MARK: - The request

  static func edit(_ request: PluginRequest, _ memory: CMemory) {
    request.message.pointee.parameter = nil
    for file in request.protoFiles {
      file.pointee.source_code_info = nil
      for message in elements(file.pointee.n_message_type, file.pointee.message_type) {
        edit(message, memory)
      }
    }
  }

  private static func edit(
    _ message: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>,
    _ memory: CMemory
  ) {
    for field in elements(message.pointee.n_field, message.pointee.field) {
      field.pointee.has_proto3_optional = 0
      field.pointee.proto3_optional = 0
      if field.pointee.type == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_STRING {
        setStringAsBytes(field, memory)
      }
    }
    for nested in elements(message.pointee.n_nested_type, message.pointee.nested_type) {
      edit(nested, memory)
    }
  }

  /// Adds extension 1019 of FieldOptions, a message whose field 1 is true.
  ///
  /// descriptor.proto does not know it, so it goes where unpacking puts what is not known.
  private static func setStringAsBytes(
    _ field: UnsafeMutablePointer<Google__Protobuf__FieldDescriptorProto>,
    _ memory: CMemory
  ) {
    if field.pointee.options == nil {
      let options = memory.allocate(Google__Protobuf__FieldOptions.self)
      google__protobuf__field_options__init(options)
      field.pointee.options = options
    }
    guard let options = field.pointee.options else { return }
    let known = Int(options.pointee.base.n_unknown_fields)
    let unknown = memory.allocate(ProtobufCMessageUnknownField.self, count: known + 1)
    for index in 0..<known { unknown[index] = options.pointee.base.unknown_fields[index] }
    let content: [UInt8] = [2, 0x08, 0x01]
    unknown[known] = ProtobufCMessageUnknownField(
      tag: 1019,
      wire_type: PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
      len: content.count,
      data: memory.copy(content)
    )
    options.pointee.base.unknown_fields = unknown
    options.pointee.base.n_unknown_fields += 1
  }

  // MARK: - The answer

  /// Puts the headers into `include`, with a module map when a module is wanted.
  private static func rearranged(
    _ answer: [UInt8],
    _ request: PluginRequest,
    _ options: CFilterOptions
  ) throws(GenerationError) -> PluginResponse {
    guard
      let response = google__protobuf__compiler__code_generator_response__unpack(
        nil,
        answer.count,
        answer
      )
    else { throw GenerationError("\(options.protocGenC) did not answer") }
    defer { google__protobuf__compiler__code_generator_response__free_unpacked(response, nil) }
    if let error = response.pointee.error { throw GenerationError(string(error)) }
    var files = elements(response.pointee.n_file, response.pointee.file).map { file in
      let name = string(file.pointee.name)
      return PluginResponse.File(
        name: name.hasSuffix(".h") ? "include/" + name : name,
        content: withoutUncalled(string(file.pointee.content))
      )
    }
    if let module = options.module {
      files += ModuleMap.files(
        module,
        headers: files.map(\.name).filter { $0.hasPrefix("include/") }
      )
    }
    return PluginResponse(files: files)
  }

  private static let uncalled = ["__free_unpacked", "__get_packed_size", "__pack_to_buffer"]

  /// Removes the functions that Swift does not call: nothing in an arena is freed, and no size is asked for.
  static func withoutUncalled(_ source: String) -> String {
    var (lines, isInFunction, isInBody): ([Substring], Bool, Bool) = ([], false, false)
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      if uncalled.contains(where: { line.hasSuffix($0) }) {
        isInFunction = true
      } else if isInFunction {
        if line == "{" { isInBody = true }
        let isEnd = isInBody ? line == "}" : line.hasSuffix(");")
        if isEnd { (isInFunction, isInBody) = (false, false) }
      } else {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n")
  }
}
