internal import DescriptorProtoC

/// What protoc asks a plugin.
final class PluginRequest {
  /// The C form; edited by the filter.
  let message: UnsafeMutablePointer<Google__Protobuf__Compiler__CodeGeneratorRequest>

  init(_ bytes: [UInt8]) throws(GenerationError) {
    guard
      let message = google__protobuf__compiler__code_generator_request__unpack(
        nil,
        bytes.count,
        bytes
      )
    else {
      throw GenerationError("standard input is not a CodeGeneratorRequest: protoc runs this plugin")
    }
    self.message = message
  }

  // The C form is not freed: the filter puts memory of its own into it, and one request is all that
  // a plugin's process reads.

  /// The text after `--NAME_opt=`.
  var parameter: String { string(message.pointee.parameter) }

  /// The files named on the command line.
  var filesToGenerate: [String] {
    strings(message.pointee.n_file_to_generate, message.pointee.file_to_generate)
  }

  /// Those files and all that they import, imports first.
  var protoFiles: [UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>] {
    elements(message.pointee.n_proto_file, message.pointee.proto_file)
  }

  /// Encodes the request.
  func encoded() -> [UInt8] {
    let size = google__protobuf__compiler__code_generator_request__get_packed_size(message)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = google__protobuf__compiler__code_generator_request__pack(
        message,
        buffer.baseAddress
      )
    }
  }
}
