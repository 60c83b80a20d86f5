/// Describes a method: generated code has one for each `rpc`.
public struct MethodDescriptor: Hashable, Sendable {
  /// Who streams.
  public enum Kind: Hashable, Sendable {
    /// One request, one response.
    case unary
    /// One request, any number of responses.
    case serverStreaming
  }

  /// What a repetition does: the method's `idempotency_level`.
  public enum Idempotency: Hashable, Sendable {
    /// It may have an effect each time; a retry needs an idempotency key.
    case unknown
    /// It has the effect of the first time; if others changed something in between, it undoes that, unless it has an
    /// idempotency key.
    case idempotent
    /// It has none.
    case noSideEffects
  }

  /// The service's full name, for example `tidings.v1.RecordService`.
  public let service: String
  /// The method's name, for example `ModifyRecords`.
  public let name: String
  /// As in a request header, for example `tidings.v1.RecordService/ModifyRecords`.
  public let fullName: String
  /// Who streams.
  public let kind: Kind
  /// What a repetition does.
  public let idempotency: Idempotency
  /// The full name of the request message.
  public let inputType: String
  /// The full name of the response message.
  public let outputType: String

  /// Describes a method.
  public init(
    service: String,
    name: String,
    kind: Kind,
    idempotency: Idempotency,
    inputType: String,
    outputType: String
  ) {
    self.service = service
    self.name = name
    fullName = service + "/" + name
    self.kind = kind
    self.idempotency = idempotency
    self.inputType = inputType
    self.outputType = outputType
  }
}

/// Describes a service: generated code has one for each `service`.
public struct ServiceDescriptor: Hashable, Sendable {
  /// The full name, for example `tidings.v1.RecordService`.
  public let name: String
  /// In the order of the .proto file.
  public let methods: [MethodDescriptor]
  /// The serialized `FileDescriptorProto`s of the service's file and all it imports, imports first.
  public let fileDescriptors: [[UInt8]]

  /// Describes a service.
  public init(name: String, methods: [MethodDescriptor], fileDescriptors: [[UInt8]]) {
    self.name = name
    self.methods = methods
    self.fileDescriptors = fileDescriptors
  }
}
