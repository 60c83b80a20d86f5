internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

/// The contract's messages, all of them, for conversions.
enum ContractSchema {
  private static let transcoderResult: Result<JSONTranscoder, Schema.ReadingError> = {
    let files: [FileDescriptor] = [
      .tidingsRpcV1HeaderProto, .tidingsRpcV1HealthProto, .tidingsRpcV1ReflectionProto,
      .tidingsRpcV1ServerProto, .tidingsRpcV1ErrorDetailsProto,
      .tidingsV1AccountServiceProto, .tidingsV1AdminServiceProto, .tidingsV1AssetServiceProto,
      .tidingsV1DeliveryServiceProto, .tidingsV1GatewayServiceProto,
      .tidingsV1NotificationServiceProto, .tidingsV1RecordServiceProto,
      .tidingsV1SchemaServiceProto, .tidingsV1ShareServiceProto,
      .tidingsV1SubscriptionServiceProto, .tidingsV1ZoneServiceProto,
    ]
    do throws(Schema.ReadingError) {
      let schema = try Schema(fileDescriptors: files.flatMap(\.serializedWithDependencies))
      return .success(JSONTranscoder(schema: schema))
    } catch {
      return .failure(error)
    }
  }()

  /// Converts the contract's messages.
  static func transcoder() throws -> JSONTranscoder { try transcoderResult.get() }
}
