internal import TidingsWire

/// A field of a message.
public struct FieldSchema: Sendable {
  /// The declared types, with the numbers of `google.protobuf.FieldDescriptorProto.Type`.
  public enum Kind: Int, Sendable {
    case double = 1
    case float
    case int64
    case uint64
    case int32
    case fixed64
    case fixed32
    case bool
    case string
    case group
    case message
    case bytes
    case uint32
    case `enum`
    case sfixed32
    case sfixed64
    case sint32
    case sint64
  }

  /// As in the .proto, for example `record_name`.
  public internal(set) var name = ""
  /// As in JSON, for example `recordName`.
  public internal(set) var jsonName = ""
  /// The number on the wire.
  public internal(set) var number = 0
  /// The type.
  public internal(set) var kind = Kind.int32
  /// The full name of the message or enum.
  public internal(set) var typeName = ""
  /// Any number of values; a map is a repeated entry message.
  public internal(set) var isRepeated = false
  /// Several values share one wire field.
  public internal(set) var isPacked = false
  /// Absent differs from the default.
  public internal(set) var hasPresence = false
  /// `optional` in proto3.
  public internal(set) var isOptional = false
  /// proto2's `required`.
  public internal(set) var isRequired = false
  /// The index of the oneof that the field belongs to.
  public internal(set) var oneofIndex: Int?
  /// What the .proto says about it, without the comment signs; often empty.
  public internal(set) var comment = ""
}

extension FieldSchema.Kind {
  /// The name in a .proto; of a message, group or enum the word.
  public var keyword: String { "\(self)" }

  var wireType: WireType {
    switch self {
    case .double, .fixed64, .sfixed64: .fixed64
    case .float, .fixed32, .sfixed32: .fixed32
    case .string, .bytes, .message: .delimited
    case .group: .groupStart
    default: .varint
    }
  }
}
