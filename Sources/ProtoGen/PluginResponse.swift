internal import CProtobufC
internal import DescriptorProtoC

/// What a plugin answers protoc.
struct PluginResponse {
  /// A file to write below the output folder.
  struct File {
    var name: String
    var content: String
  }

  /// proto3 `optional` is understood.
  private static let featureProto3Optional: UInt64 = 1

  var files: [File] = []
  var error: String?

  /// Encodes the answer.
  func encoded() -> [UInt8] {
    let memory = CMemory()
    let response = memory.allocate(Google__Protobuf__Compiler__CodeGeneratorResponse.self)
    google__protobuf__compiler__code_generator_response__init(response)
    response.pointee.has_supported_features = 1
    response.pointee.supported_features = Self.featureProto3Optional
    if let error { response.pointee.error = memory.copy(error) }
    typealias CFile = Google__Protobuf__Compiler__CodeGeneratorResponse__File
    let list = memory.allocate(UnsafeMutablePointer<CFile>?.self, count: files.count)
    for (index, file) in files.enumerated() {
      let item = memory.allocate(CFile.self)
      google__protobuf__compiler__code_generator_response__file__init(item)
      item.pointee.name = memory.copy(file.name)
      item.pointee.content = memory.copy(file.content)
      list[index] = item
    }
    response.pointee.n_file = files.count
    response.pointee.file = list
    let size = google__protobuf__compiler__code_generator_response__get_packed_size(response)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = google__protobuf__compiler__code_generator_response__pack(
        response,
        buffer.baseAddress
      )
    }
  }
}
