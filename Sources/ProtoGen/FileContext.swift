/// What the printers know about the file that they print.
struct FileContext {
  let file: FileModel
  let options: GeneratorOptions
  let types: TypeIndex
  let layout: MessageLayout

  /// In front of a declaration.
  var access: String { options.access.prefix }

  /// The Swift type of one value.
  func valueType(_ kind: FieldModel.Kind) -> String {
    switch kind {
    case .double: "Double"
    case .float: "Float"
    case .int32: "Int32"
    case .int64: "Int64"
    case .uint32: "UInt32"
    case .uint64: "UInt64"
    case .bool: "Bool"
    case .string: "String"
    case .bytes: "[UInt8]"
    case .message(let name), .enum(let name): types.swiftName(name)
    }
  }

  /// The Swift type of a property.
  func propertyType(_ field: FieldModel) -> String {
    let type = valueType(field.kind)
    switch field.label {
    case .repeated: return "[\(type)]"
    case .map(let key): return "[\(valueType(key.kind)): \(type)]"
    case .optional, .oneof: return type + "?"
    case .singular: return isMessage(field.kind) ? type + "?" : type
    }
  }

  /// The value of a property that was not set.
  func defaultValue(_ field: FieldModel) -> String {
    switch field.label {
    case .repeated: return "[]"
    case .map: return "[:]"
    case .optional, .oneof: return "nil"
    case .singular: break
    }
    return isMessage(field.kind) ? "nil" : emptyValue(field.kind)
  }

  /// A value that was not set.
  func emptyValue(_ kind: FieldModel.Kind) -> String {
    switch kind {
    case .double, .float, .int32, .int64, .uint32, .uint64: "0"
    case .bool: "false"
    case .string: "\"\""
    case .bytes: "[]"
    case .message(let name): types.swiftName(name) + "()"
    case .enum(let name): types.swiftName(name) + "(rawValue: 0)"
    }
  }

  /// Whether a property is stored behind a reference.
  func isIndirect(_ field: FieldModel) -> Bool {
    guard case .message(let name) = field.kind else { return false }
    switch field.label {
    case .repeated, .map: return false
    case .singular, .optional: return layout.isIndirect(name)
    case .oneof: return layout.isIndirectInOneof(name)
    }
  }

  func isMessage(_ kind: FieldModel.Kind) -> Bool {
    if case .message = kind { true } else { false }
  }
}

/// A stored or computed property of a generated struct: a field, or a oneof.
struct Property {
  var name: String
  var type: String
  var defaultValue: String
  var comment: [String]
  var isIndirect: Bool

  /// The properties of a message in the order of the .proto file; a oneof stands where its first
  /// member does.
  static func all(of message: MessageModel, in context: FileContext) -> [Property] {
    var seen: Set<Int> = []
    return message.fields.compactMap { field in
      guard case .oneof(let index) = field.label else {
        return Property(
          name: SwiftNames.property(field.name),
          type: context.propertyType(field),
          defaultValue: context.defaultValue(field),
          comment: field.comment,
          isIndirect: context.isIndirect(field)
        )
      }
      guard seen.insert(index).inserted else { return nil }
      let oneof = message.oneofs[index]
      return Property(
        name: SwiftNames.property(oneof.name),
        type: OneofPrinter.typeName(oneof, in: message) + "?",
        defaultValue: "nil",
        comment: oneof.comment,
        isIndirect: false
      )
    }
  }
}
