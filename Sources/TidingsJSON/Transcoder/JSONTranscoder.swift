/// Converts messages of any known type between protobuf's wire and JSON: the proto3 JSON mapping.
///
/// Works on the bytes and a schema, without generated types, and therefore for services that are
/// only known by reflection. Encoding is deterministic: fields in the order of their numbers, maps
/// sorted by the bytes of their keys.
public struct JSONTranscoder: Sendable {
  /// What the mapping leaves open.
  public struct Options: Sendable {
    /// Fields at their defaults are written to JSON too.
    public var writesDefaults = false
    /// JSON names are those of the .proto, `record_name` instead of `recordName`; both are read.
    public var usesProtoNames = false
    /// Members of JSON objects that the message does not have are ignored, instead of rejected.
    public var ignoresUnknownMembers = false

    /// The mapping's defaults.
    public init() {}
  }

  /// The deepest nesting of messages, the outermost counted as 1.
  public static let nestingMax = 64

  /// Where types are looked up.
  public let schema: Schema
  /// What the mapping leaves open.
  public let options: Options

  /// A transcoder for the types of a schema.
  public init(schema: Schema, options: Options = Options()) {
    self.schema = schema
    self.options = options
  }

  /// Converts JSON to an encoded message.
  ///
  /// - Parameters:
  ///   - value: The message in JSON.
  ///   - type: The message's full name.
  /// - Returns: The encoded message.
  /// - Throws: An error that names the path to the culprit.
  public func encode(_ value: JSONValue, as type: String) throws(TranscodingError) -> [UInt8] {
    let encoder = JSONEncoding(schema: schema, options: options)
    return try encoder.message(value, of: type, depth: 1)
  }

  /// Converts an encoded message to JSON.
  ///
  /// - Parameters:
  ///   - bytes: The encoded message.
  ///   - type: The message's full name.
  /// - Returns: The message in JSON, members in the order of the .proto.
  /// - Throws: An error that names the path to the culprit.
  public func decode(_ bytes: [UInt8], as type: String) throws(TranscodingError) -> JSONValue {
    let decoder = JSONDecoding(schema: schema, options: options)
    return try decoder.message(bytes[...], of: type, depth: 1)
  }
}

extension Schema {
  func message(_ name: String) throws(TranscodingError) -> Message {
    guard let message = messages[name] else {
      throw TranscodingError("the message type \(name) is not known")
    }
    return message
  }
}
