internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// The contract of Tidings' own messages, for messages that are printed in proto3's JSON mapping.
enum Contract {
  /// The descriptors; read on first use.
  static let schema: Result<Schema, Schema.ReadingError> = {
    let files: [FileDescriptor] = [
      .tidingsV1NotificationServiceProto, .tidingsV1SubscriptionServiceProto,
      .tidingsV1ZoneServiceProto, .tidingsRpcV1ServerProto, .tidingsRpcV1ErrorDetailsProto,
      .tidingsV1ErrorProto, .tidingsV1AdminServiceProto, .tidingsV1AccountServiceProto,
      .tidingsV1ShareServiceProto, .tidingsV1RecordServiceProto, .tidingsV1AssetServiceProto,
      .tidingsV1SchemaServiceProto, .tidingsRpcV1HealthProto, .tidingsRpcV1HeaderProto,
      .tidingsRpcV1ReflectionProto, .tidingsV1DeliveryServiceProto, .tidingsV1GatewayServiceProto,
    ]
    do throws(Schema.ReadingError) {
      return .success(try Schema(fileDescriptors: files.flatMap(\.serializedWithDependencies)))
    } catch {
      return .failure(error)
    }
  }()

  /// Converts the contract's messages.
  static let transcoder = schema.map { JSONTranscoder(schema: $0) }

  /// A message in proto3's JSON mapping.
  static func json<Value: Message>(_ message: Value) throws -> JSONValue {
    try transcoder.get().decode(message.encoded(), as: Value.messageName)
  }

  /// Returns a message in proto3's JSON mapping, including fields with default values.
  static func fullJSON<Value: Message>(_ message: Value) throws -> JSONValue {
    var options = JSONTranscoder.Options()
    options.writesDefaults = true
    return try JSONTranscoder(schema: try schema.get(), options: options)
      .decode(message.encoded(), as: Value.messageName)
  }

  /// A message from proto3's JSON mapping.
  static func message<Value: Message>(_ json: JSONValue) throws -> Value {
    try Value(decoding: try transcoder.get().encode(json, as: Value.messageName))
  }

  /// Returns a detail of an error.
  static func json(_ detail: RPCError.Detail) -> JSONValue {
    let type = detail.typeURL.split(separator: "/").last.map(String.init) ?? ""
    let content = try? transcoder.get().decode(detail.value, as: type)
    guard let members = content?.object?.members else {
      return .object([
        "@type": .string(detail.typeURL), "value": .string(Base64.encode(detail.value)),
      ])
    }
    var object: JSONObject = ["@type": .string(detail.typeURL)]
    for member in members { object.append(member.name, member.value) }
    return .object(object)
  }

  /// Returns an enum's value without the name of its type: `UNKNOWN_ITEM` of `ERROR_CODE_UNKNOWN_ITEM`.
  static func shortName(_ value: some CustomStringConvertible, _ prefix: String) -> String {
    let name = value.description
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }
}
