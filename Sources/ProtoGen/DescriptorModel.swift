/// A .proto file as the printers see it.
struct FileModel {
  /// The path, for example `tidings/v1/record.proto`.
  var name: String
  /// For example `tidings.v1`; empty when there is none.
  var package: String
  /// `proto2` or `proto3`.
  var syntax: String
  /// Paths of the files that it imports.
  var dependencies: [String]
  var messages: [MessageModel]
  var enums: [EnumModel]
  var services: [ServiceModel]
  /// The serialized descriptor, without comments.
  var serialized: [UInt8]
}

/// A message.
struct MessageModel {
  /// For example `tidings.v1.Record`.
  var fullName: String
  var name: String
  var comment: [String]
  /// In the order of the .proto file.
  var fields: [FieldModel]
  /// Without the ones that stand for proto3 `optional`.
  var oneofs: [OneofModel]
  /// Without map entries.
  var messages: [MessageModel]
  var enums: [EnumModel]
}

/// A field.
struct FieldModel {
  /// The type of a value.
  indirect enum Kind {
    case double, float, int32, int64, uint32, uint64, bool, string, bytes
    /// By full name.
    case message(String)
    /// By full name.
    case `enum`(String)
  }

  /// How a value is written, named as the functions of `FieldReader` and `FieldWriter`.
  enum Coding: String {
    case double, float, int32, int64, uint32, uint64, sint32, sint64
    case fixed32, fixed64, sfixed32, sfixed64, bool, string, message, bytes

    /// The name of the form of a number on the wire; `nil` for what has a length.
    var numberType: String? {
      switch self {
      case .double, .fixed64, .sfixed64: "fixed64"
      case .float, .fixed32, .sfixed32: "fixed32"
      case .string, .message, .bytes: nil
      default: "varint"
      }
    }

    /// The number of the form.
    var wireType: UInt32 {
      switch numberType {
      case "varint": 0
      case "fixed64": 1
      case "fixed32": 5
      default: 2
      }
    }
  }

  /// The keys of a map.
  struct Key {
    var kind: Kind
    var coding: Coding
  }

  /// How many values there are, and whether absence differs from a default.
  enum Label {
    case singular
    /// proto3 `optional`.
    case optional
    case repeated
    /// The field's kind is the kind of the values.
    case map(Key)
    /// By index in the message's oneofs.
    case oneof(Int)
  }

  var name: String
  /// For example `tidings.v1.Record.record_type`, for errors.
  var fullName: String
  var number: Int32
  var kind: Kind
  var coding: Coding
  var label: Label
  /// A list of numbers is one value.
  var isPacked = false
  var comment: [String]
}

/// A oneof that the .proto file has.
struct OneofModel {
  var name: String
  var comment: [String]
}

/// An enum.
struct EnumModel {
  /// For example `tidings.v1.SavePolicy`.
  var fullName: String
  var name: String
  var comment: [String]
  var values: [EnumValueModel]
}

/// A value of an enum.
struct EnumValueModel {
  var name: String
  var number: Int32
  var comment: [String]
}

/// A service.
struct ServiceModel {
  /// For example `tidings.v1.RecordService`.
  var fullName: String
  var name: String
  var comment: [String]
  var methods: [MethodModel]
}

/// A method.
struct MethodModel {
  /// Named as in `MethodDescriptor.Idempotency`.
  enum Idempotency: String {
    case unknown, noSideEffects, idempotent
  }

  var name: String
  var comment: [String]
  /// The full name of the request message.
  var input: String
  /// The full name of the response message.
  var output: String
  var clientStreaming: Bool
  var serverStreaming: Bool
  var idempotency: Idempotency
}
