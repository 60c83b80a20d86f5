/// The types and services of some .proto files, read from their descriptors.
public final class Schema: Sendable {
  /// A message type.
  public final class Message: Sendable {
    /// The full name, for example `tidings.v1.Record`.
    public let name: String
    /// In the order of the .proto.
    public let fields: [FieldSchema]
    /// Names of the oneofs, those of proto3's `optional` included.
    public let oneofs: [String]
    /// An entry of a map: its fields are `key` and `value`, in this order.
    public let isMapEntry: Bool
    /// Full names of the messages declared inside, without map entries.
    public let nestedMessages: [String]
    /// Full names of the enums declared inside.
    public let nestedEnums: [String]
    /// What the .proto says about it.
    public let comment: String
    let indexByNumber: [Int: Int]
    let indexByName: [String: Int]

    init(
      name: String,
      fields: [FieldSchema],
      oneofs: [String],
      isMapEntry: Bool,
      nestedMessages: [String],
      nestedEnums: [String],
      comment: String
    ) {
      self.name = name
      self.fields = fields
      self.oneofs = oneofs
      self.isMapEntry = isMapEntry
      self.nestedMessages = nestedMessages
      self.nestedEnums = nestedEnums
      self.comment = comment
      let numbers = fields.enumerated().map { ($1.number, $0) }
      indexByNumber = Dictionary(numbers) { first, _ in first }
      let names = fields.enumerated().flatMap { [($1.jsonName, $0), ($1.name, $0)] }
      indexByName = Dictionary(names) { first, _ in first }
    }
  }

  /// An enum type.
  public struct Enum: Sendable {
    /// One value.
    public struct Value: Sendable {
      /// As in the .proto, for example `SAVE_POLICY_ALL_KEYS`.
      public let name: String
      /// The number on the wire.
      public let number: Int32
      /// What the .proto says about it.
      public let comment: String
    }

    /// The full name.
    public let name: String
    /// In the order of the .proto.
    public let values: [Value]
    /// What the .proto says about it.
    public let comment: String
  }

  /// A service.
  public struct Service: Sendable {
    /// The full name, for example `tidings.v1.RecordService`.
    public let name: String
    /// In the order of the .proto.
    public let methods: [Method]
    /// What the .proto says about it.
    public let comment: String
  }

  /// A method of a service.
  public struct Method: Sendable {
    /// What a repetition does, with the numbers of `google.protobuf.MethodOptions`.
    public enum Idempotency: Int, Sendable {
      /// It may have an effect each time.
      case unknown = 0
      /// It has no effect.
      case noSideEffects
      /// It has the effect of the first time.
      case idempotent
    }

    /// Without the service, for example `FetchRecords`.
    public let name: String
    /// The full name of the request message.
    public let inputType: String
    /// The full name of the response message.
    public let outputType: String
    /// The client sends a stream.
    public let isClientStreaming: Bool
    /// The server answers with a stream.
    public let isServerStreaming: Bool
    /// What a repetition does.
    public let idempotency: Idempotency
    /// What the .proto says about it.
    public let comment: String
  }

  /// Bytes that are not descriptors.
  public struct ReadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String
  }

  /// By full name.
  public let messages: [String: Message]
  /// By full name.
  public let enums: [String: Enum]
  /// In the order of the files.
  public let services: [Service]

  /// Reads serialized `google.protobuf.FileDescriptorProto`s, in any order.
  public convenience init(fileDescriptors: [[UInt8]]) throws(ReadingError) {
    try self.init(fileDescriptors.map { $0[...] })
  }

  /// Reads a serialized `google.protobuf.FileDescriptorSet`.
  public convenience init(fileDescriptorSet bytes: [UInt8]) throws(ReadingError) {
    let files: [ArraySlice<UInt8>]
    do {
      files = try DescriptorFields(bytes[...]).messages(1)
    } catch {
      throw ReadingError(description: "the file descriptor set is damaged")
    }
    try self.init(files)
  }

  private init(_ files: [ArraySlice<UInt8>]) throws(ReadingError) {
    var reader = DescriptorReader()
    do {
      for file in files { try reader.read(file) }
    } catch {
      throw ReadingError(description: "a file descriptor is damaged")
    }
    messages = reader.messages
    enums = reader.enums
    services = reader.services
  }

  /// The service and the method named `package.Service/Method` or `package.Service.Method`.
  public func method(_ fullName: String) -> (service: Service, method: Method)? {
    guard let index = fullName.lastIndex(where: { $0 == "/" || $0 == "." }) else { return nil }
    let (service, method) = (fullName[..<index], fullName[fullName.index(after: index)...])
    for candidate in services where candidate.name == service {
      for found in candidate.methods where found.name == method { return (candidate, found) }
    }
    return nil
  }
}
