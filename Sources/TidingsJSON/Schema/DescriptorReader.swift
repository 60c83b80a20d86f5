internal import TidingsWire

/// Builds a schema from file descriptors; the numbers are those of descriptor.proto.
struct DescriptorReader {
  private static let nestingMax = 32

  var messages: [String: Schema.Message] = [:]
  var enums: [String: Schema.Enum] = [:]
  var services: [Schema.Service] = []
  private var comments: [[Int]: String] = [:]
  private var isProto3 = false

  mutating func read(_ bytes: ArraySlice<UInt8>) throws(WireError) {
    let file = try DescriptorFields(bytes)
    isProto3 = file.string(12) == "proto3"
    try readComments(file.messages(9))
    let package = file.string(2)
    for (index, message) in file.messages(4).enumerated() {
      _ = try readMessage(message, in: package, path: [4, index])
    }
    for (index, declaration) in file.messages(5).enumerated() {
      _ = try readEnum(declaration, in: package, path: [5, index])
    }
    for (index, service) in file.messages(6).enumerated() {
      try readService(service, in: package, path: [6, index])
    }
  }

  private mutating func readComments(_ infos: [ArraySlice<UInt8>]) throws(WireError) {
    comments = [:]
    for info in infos {
      for bytes in try DescriptorFields(info).messages(1) {
        let location = try DescriptorFields(bytes)
        let leading = location.string(3)
        let comment = leading.isEmpty ? location.string(4) : leading
        if !comment.isEmpty { comments[try location.integers(1)] = comment }
      }
    }
  }

  /// Returns the message's full name; `nil` for the entry of a map.
  private mutating func readMessage(
    _ bytes: ArraySlice<UInt8>,
    in scope: String,
    path: [Int]
  ) throws(WireError) -> String? {
    guard path.count <= 2 * Self.nestingMax else { throw WireError() }
    let message = try DescriptorFields(bytes)
    let name = qualified(message.string(1), in: scope)
    var nestedMessages: [String] = []
    for (index, nested) in message.messages(3).enumerated() {
      if let nested = try readMessage(nested, in: name, path: path + [3, index]) {
        nestedMessages.append(nested)
      }
    }
    var nestedEnums: [String] = []
    for (index, nested) in message.messages(4).enumerated() {
      nestedEnums.append(try readEnum(nested, in: name, path: path + [4, index]))
    }
    var fields: [FieldSchema] = []
    for (index, field) in message.messages(2).enumerated() {
      fields.append(try readField(field, comment: comments[path + [2, index]] ?? ""))
    }
    var oneofs: [String] = []
    for oneof in message.messages(8) { oneofs.append(try DescriptorFields(oneof).string(1)) }
    let isMapEntry = try message.options(7).bool(7) ?? false
    messages[name] = Schema.Message(
      name: name,
      fields: fields,
      oneofs: oneofs,
      isMapEntry: isMapEntry,
      nestedMessages: nestedMessages,
      nestedEnums: nestedEnums,
      comment: comments[path] ?? ""
    )
    return isMapEntry ? nil : name
  }

  private func readField(
    _ bytes: ArraySlice<UInt8>,
    comment: String
  ) throws(WireError)
    -> FieldSchema
  {
    let descriptor = try DescriptorFields(bytes)
    guard let kind = FieldSchema.Kind(rawValue: descriptor.integer(5) ?? 0),
      let number = descriptor.integer(3)
    else { throw WireError() }
    var field = FieldSchema()
    field.name = descriptor.string(1)
    field.jsonName = descriptor.string(10)
    if field.jsonName.isEmpty { field.jsonName = lowerCamel(field.name) }
    field.number = number
    field.kind = kind
    field.typeName = String(descriptor.string(6).drop { $0 == "." })
    field.isRepeated = descriptor.integer(4) == 3
    field.isRequired = descriptor.integer(4) == 2
    field.isOptional = descriptor.bool(17) ?? false
    field.oneofIndex = descriptor.integer(9)
    let isMessage = kind == .message || kind == .group
    let isPackable = kind != .string && kind != .bytes && !isMessage
    let packs = try descriptor.options(8).bool(2) ?? isProto3
    field.isPacked = field.isRepeated && isPackable && packs
    field.hasPresence =
      !field.isRepeated && (isMessage || field.oneofIndex != nil || !isProto3)
    field.comment = comment
    return field
  }

  private mutating func readEnum(
    _ bytes: ArraySlice<UInt8>,
    in scope: String,
    path: [Int]
  ) throws(WireError) -> String {
    let declaration = try DescriptorFields(bytes)
    let name = qualified(declaration.string(1), in: scope)
    var values: [Schema.Enum.Value] = []
    for (index, bytes) in declaration.messages(2).enumerated() {
      let value = try DescriptorFields(bytes)
      values.append(
        Schema.Enum.Value(
          name: value.string(1),
          number: Int32(truncatingIfNeeded: value.integer(2) ?? 0),
          comment: comments[path + [2, index]] ?? ""
        )
      )
    }
    enums[name] = Schema.Enum(name: name, values: values, comment: comments[path] ?? "")
    return name
  }

  private mutating func readService(
    _ bytes: ArraySlice<UInt8>,
    in scope: String,
    path: [Int]
  ) throws(WireError) {
    let service = try DescriptorFields(bytes)
    var methods: [Schema.Method] = []
    for (index, bytes) in service.messages(2).enumerated() {
      let method = try DescriptorFields(bytes)
      let level = try method.options(4).integer(34) ?? 0
      methods.append(
        Schema.Method(
          name: method.string(1),
          inputType: String(method.string(2).drop { $0 == "." }),
          outputType: String(method.string(3).drop { $0 == "." }),
          isClientStreaming: method.bool(5) ?? false,
          isServerStreaming: method.bool(6) ?? false,
          idempotency: Schema.Method.Idempotency(rawValue: level) ?? .unknown,
          comment: comments[path + [2, index]] ?? ""
        )
      )
    }
    services.append(
      Schema.Service(
        name: qualified(service.string(1), in: scope),
        methods: methods,
        comment: comments[path] ?? ""
      )
    )
  }

  private func qualified(_ name: String, in scope: String) -> String {
    scope.isEmpty ? name : "\(scope).\(name)"
  }
}

/// protoc's rule for JSON names: each `_` goes and raises the letter behind it.
func lowerCamel(_ name: some StringProtocol) -> String {
  var result = ""
  var raises = false
  for character in name {
    if character == "_" {
      raises = true
    } else {
      result += raises ? character.uppercased() : String(character)
      raises = false
    }
  }
  return result
}
