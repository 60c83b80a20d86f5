internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// The contract's messages in proto3's JSON mapping.
struct DashboardContract: Sendable {
  private let transcoder: JSONTranscoder

  init() throws {
    let files: [FileDescriptor] = [
      .tidingsV1RecordServiceProto, .tidingsV1ZoneServiceProto, .tidingsV1ShareServiceProto,
      .tidingsV1AssetServiceProto, .tidingsV1SubscriptionServiceProto,
      .tidingsV1NotificationServiceProto, .tidingsV1DeliveryServiceProto,
      .tidingsV1SchemaServiceProto,
      .tidingsV1AccountServiceProto, .tidingsV1AdminServiceProto, .tidingsV1ErrorProto,
      .tidingsRpcV1ServerProto, .tidingsRpcV1ErrorDetailsProto,
    ]
    let schema = try Schema(fileDescriptors: files.flatMap(\.serializedWithDependencies))
    var options = JSONTranscoder.Options()
    options.writesDefaults = true
    transcoder = JSONTranscoder(schema: schema, options: options)
  }

  /// The bytes of a request.
  func request(_ json: JSONValue, of method: MethodDescriptor) throws(TranscodingError) -> [UInt8] {
    try transcoder.encode(json, as: method.inputType)
  }

  /// The JSON of an answer.
  func answer(
    _ bytes: [UInt8],
    of method: MethodDescriptor
  ) throws(TranscodingError) -> JSONValue {
    try transcoder.decode(bytes, as: method.outputType)
  }

  /// The JSON of an error.
  func error(_ error: RPCError) -> JSONObject {
    var object: JSONObject = [
      "status": .string("\(error.code)"), "message": .string(error.message),
    ]
    for detail in error.details
    where detail.typeURL.hasSuffix("/" + TidingsV1.ItemError.messageName) {
      guard let item = try? transcoder.decode(detail.value, as: TidingsV1.ItemError.messageName)
      else { continue }
      object.append("error", item)
    }
    return object
  }
}
