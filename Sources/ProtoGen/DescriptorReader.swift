internal import CProtobufC
internal import DescriptorProtoC

/// Makes the model of a file from its C descriptor.
struct DescriptorReader {
  // Field numbers in descriptor.proto, which paths to comments consist of.
  private enum Tag {
    static let fileMessage: Int32 = 4
    static let fileEnum: Int32 = 5
    static let fileService: Int32 = 6
    static let messageField: Int32 = 2
    static let messageNested: Int32 = 3
    static let messageEnum: Int32 = 4
    static let messageOneof: Int32 = 8
    static let enumValue: Int32 = 2
    static let serviceMethod: Int32 = 2
  }

  private let comments: Comments

  /// Reads a file.
  static func read(
    _ pointer: UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>
  ) throws(GenerationError) -> FileModel {
    let file = pointer.pointee
    let reader = DescriptorReader(comments: Comments(file.source_code_info))
    let package = string(file.package)
    let scope = package.isEmpty ? "" : package + "."
    var messages: [MessageModel] = []
    for (index, message) in elements(file.n_message_type, file.message_type).enumerated() {
      messages.append(
        try reader.message(message.pointee, scope, [Tag.fileMessage, Int32(index)])
      )
    }
    return FileModel(
      name: string(file.name),
      package: package,
      syntax: file.syntax == nil ? "proto2" : string(file.syntax),
      dependencies: strings(file.n_dependency, file.dependency),
      messages: messages,
      enums: elements(file.n_enum_type, file.enum_type).enumerated().map { index, item in
        reader.enumeration(item.pointee, scope, [Tag.fileEnum, Int32(index)])
      },
      services: elements(file.n_service, file.service).enumerated().map { index, item in
        reader.service(item.pointee, scope, [Tag.fileService, Int32(index)])
      },
      serialized: serializedWithoutComments(pointer)
    )
  }

  private static func serializedWithoutComments(
    _ pointer: UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>
  ) -> [UInt8] {
    let comments = pointer.pointee.source_code_info
    pointer.pointee.source_code_info = nil
    defer { pointer.pointee.source_code_info = comments }
    let size = google__protobuf__file_descriptor_proto__get_packed_size(pointer)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = google__protobuf__file_descriptor_proto__pack(pointer, buffer.baseAddress)
    }
  }

  private func message(
    _ message: Google__Protobuf__DescriptorProto,
    _ scope: String,
    _ path: [Int32]
  ) throws(GenerationError) -> MessageModel {
    let fullName = scope + string(message.name)
    let nested = elements(message.n_nested_type, message.nested_type)
    let entries = Dictionary(
      nested.filter { $0.pointee.options?.pointee.map_entry ?? 0 != 0 }
        .map { (fullName + "." + string($0.pointee.name), $0) }
    ) { first, _ in first }

    let oneofs = elements(message.n_oneof_decl, message.oneof_decl).map { string($0.pointee.name) }
    var fields: [FieldModel] = []
    for (index, item) in elements(message.n_field, message.field).enumerated() {
      let path = path + [Tag.messageField, Int32(index)]
      fields.append(try field(item.pointee, in: fullName, entries, comments[path]))
    }
    var messages: [MessageModel] = []
    for (index, item) in nested.enumerated() {
      if item.pointee.options?.pointee.map_entry ?? 0 != 0 { continue }
      messages.append(
        try self.message(
          item.pointee,
          fullName + ".",
          path + [Tag.messageNested, Int32(index)]
        )
      )
    }
    let synthetic = Set(
      elements(message.n_field, message.field)
        .filter { $0.pointee.proto3_optional != 0 }.map { $0.pointee.oneof_index }
    )
    return MessageModel(
      fullName: fullName,
      name: string(message.name),
      comment: comments[path],
      fields: fields,
      oneofs: oneofs.enumerated().filter { !synthetic.contains(Int32($0.offset)) }
        .map { index, name in
          OneofModel(name: name, comment: comments[path + [Tag.messageOneof, Int32(index)]])
        },
      messages: messages,
      enums: elements(message.n_enum_type, message.enum_type).enumerated().map { index, item in
        enumeration(item.pointee, fullName + ".", path + [Tag.messageEnum, Int32(index)])
      }
    )
  }

  private func field(
    _ field: Google__Protobuf__FieldDescriptorProto,
    in message: String,
    _ entries: [String: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>],
    _ comment: [String]
  ) throws(GenerationError) -> FieldModel {
    let name = string(field.name)
    var model = FieldModel(
      name: name,
      fullName: message + "." + name,
      number: field.number,
      kind: try kind(field, message + "." + name),
      coding: coding(field),
      label: .singular,
      comment: comment
    )
    if field.label == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__LABEL__LABEL_REPEATED {
      model.label = .repeated
      let options = field.options?.pointee
      model.isPacked =
        model.coding.numberType != nil && (options?.has_packed ?? 0 == 0 || options?.packed != 0)
      if case .message(let entryName) = model.kind, let entry = entries[entryName] {
        let parts = elements(entry.pointee.n_field, entry.pointee.field)
        guard parts.count == 2 else { throw GenerationError("\(model.fullName): bad map entry") }
        let key = try kind(parts[0].pointee, model.fullName)
        model.kind = try kind(parts[1].pointee, model.fullName)
        model.coding = coding(parts[1].pointee)
        model.label = .map(.init(kind: key, coding: coding(parts[0].pointee)))
      }
    } else if field.proto3_optional != 0 {
      model.label = .optional
    } else if field.has_oneof_index != 0 {
      // Synthetic oneofs come after all others, so indices need no correction.
      model.label = .oneof(Int(field.oneof_index))
    }
    return model
  }

  private func kind(
    _ field: Google__Protobuf__FieldDescriptorProto,
    _ name: String
  ) throws(GenerationError) -> FieldModel.Kind {
    let typeName = String(string(field.type_name).drop { $0 == "." })
    // The numbers of FieldDescriptorProto.Type.
    switch field.type.rawValue {
    case 1: return .double
    case 2: return .float
    case 3, 16, 18: return .int64
    case 4, 6: return .uint64
    case 5, 15, 17: return .int32
    case 7, 13: return .uint32
    case 8: return .bool
    case 9: return .string
    case 11: return .message(typeName)
    case 12: return .bytes
    case 14: return .enum(typeName)
    default: throw GenerationError("\(name) has a type that is not supported (a group?)")
    }
  }

  /// How a value of a type that `kind` knows is written.
  private func coding(_ field: Google__Protobuf__FieldDescriptorProto) -> FieldModel.Coding {
    // The numbers of FieldDescriptorProto.Type.
    switch field.type.rawValue {
    case 1: .double
    case 2: .float
    case 3: .int64
    case 4: .uint64
    case 6: .fixed64
    case 7: .fixed32
    case 8: .bool
    case 9: .string
    case 11: .message
    case 12: .bytes
    case 13: .uint32
    case 15: .sfixed32
    case 16: .sfixed64
    case 17: .sint32
    case 18: .sint64
    default: .int32
    }
  }

  private func enumeration(
    _ item: Google__Protobuf__EnumDescriptorProto,
    _ scope: String,
    _ path: [Int32]
  ) -> EnumModel {
    EnumModel(
      fullName: scope + string(item.name),
      name: string(item.name),
      comment: comments[path],
      values: elements(item.n_value, item.value).enumerated().map { index, value in
        EnumValueModel(
          name: string(value.pointee.name),
          number: value.pointee.number,
          comment: comments[path + [Tag.enumValue, Int32(index)]]
        )
      }
    )
  }

  private func service(
    _ item: Google__Protobuf__ServiceDescriptorProto,
    _ scope: String,
    _ path: [Int32]
  ) -> ServiceModel {
    ServiceModel(
      fullName: scope + string(item.name),
      name: string(item.name),
      comment: comments[path],
      methods: elements(item.n_method, item.method).enumerated().map { index, method in
        self.method(method.pointee, comments[path + [Tag.serviceMethod, Int32(index)]])
      }
    )
  }

  private func method(
    _ method: Google__Protobuf__MethodDescriptorProto,
    _ comment: [String]
  ) -> MethodModel {
    let idempotency: MethodModel.Idempotency =
      switch method.options?.pointee.idempotency_level.rawValue {
      case 1: .noSideEffects
      case 2: .idempotent
      default: .unknown
      }
    return MethodModel(
      name: string(method.name),
      comment: comment,
      input: String(string(method.input_type).drop { $0 == "." }),
      output: String(string(method.output_type).drop { $0 == "." }),
      clientStreaming: method.client_streaming != 0,
      serverStreaming: method.server_streaming != 0,
      idempotency: idempotency
    )
  }
}
