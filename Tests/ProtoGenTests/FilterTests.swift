import DescriptorProtoC
import Testing

@testable import ProtoGen

@Suite("The filter before protoc-gen-c")
struct FilterTests {
  @Test("makes strings bytes and optional fields members of oneofs")
  func edits() throws {
    let request = try PluginRequest(
      FixtureRequest.encoded(["fixture/v1/everything.proto"], "c_module=C")
    )
    let memory = CMemory()
    CFilter.edit(request, memory)
    // As protoc-gen-c reads it.
    let edited = try PluginRequest(request.encoded())
    var strings = 0
    for file in edited.protoFiles {
      for message in ProtoGen.elements(file.pointee.n_message_type, file.pointee.message_type) {
        strings += try check(message.pointee)
      }
    }
    #expect(strings > 30)
    #expect(edited.parameter == "")
  }

  /// Returns how many string fields there are.
  private func check(_ message: Google__Protobuf__DescriptorProto) throws -> Int {
    var strings = 0
    for field in ProtoGen.elements(message.n_field, message.field) {
      #expect(field.pointee.has_proto3_optional == 0)
      let isString =
        field.pointee.type == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_STRING
      let base = field.pointee.options?.pointee.base
      let unknown = UnsafeBufferPointer(
        start: base?.unknown_fields,
        count: Int(base?.n_unknown_fields ?? 0)
      )
      #expect(unknown.contains { $0.tag == 1019 } == isString)
      if isString { strings += 1 }
    }
    for nested in ProtoGen.elements(message.n_nested_type, message.nested_type) {
      strings += try check(nested.pointee)
    }
    return strings
  }

  @Test("functions that Swift does not call are removed")
  func removesUncalled() {
    let header = """
      size_t tidings__v1__zone__get_packed_size
                           (const Tidings__V1__Zone   *message);
      size_t tidings__v1__zone__pack
                           (const Tidings__V1__Zone   *message,
                            uint8_t             *out);
      """
    #expect(
      CFilter.withoutUncalled(header)
        == header.split(separator: "\n").suffix(3).joined(separator: "\n")
    )
    let source = """
      void   tidings__v1__zone__free_unpacked
                           (Tidings__V1__Zone *message,
                            ProtobufCAllocator *allocator)
      {
        if(!message)
          return;
        protobuf_c_message_free_unpacked ((ProtobufCMessage*)message, allocator);
      }
      static const int numbers[1];
      """
    #expect(CFilter.withoutUncalled(source) == "static const int numbers[1];")
  }

  @Test("a missing protoc-gen-c is reported, with the way out")
  func reportsMissingProgram() throws {
    let request = try FixtureRequest.encoded(
      ["fixture/v1/tree.proto"],
      "protoc_gen_c=./no-such-program"
    )
    let bytes = CFilter.respond(to: request)
    let response = try #require(
      google__protobuf__compiler__code_generator_response__unpack(nil, bytes.count, bytes)
    )
    defer { google__protobuf__compiler__code_generator_response__free_unpacked(response, nil) }
    #expect(ProtoGen.string(response.pointee.error).contains("protoc_gen_c=PATH"))
  }
}
