internal import TidingsJSON

/// Writes descriptors in the syntax of .proto files.
struct ProtoText {
  private let schema: Schema
  private var lines: [String] = []

  /// Returns the text of a service, method, message or enum; `nil` if it does not exist.
  static func describe(_ symbol: String, _ schema: Schema) -> (name: String, text: String)? {
    var text = ProtoText(schema: schema)
    guard let name = text.add(symbol.replacing("/", with: ".")) else { return nil }
    return (name, text.lines.joined(separator: "\n") + "\n")
  }

  private init(schema: Schema) { self.schema = schema }

  /// All names that can be described.
  static func symbols(_ schema: Schema) -> [String] {
    schema.messages.values.filter { !$0.isMapEntry }.map(\.name) + schema.enums.keys
      + schema.services.flatMap { service in
        [service.name] + service.methods.map { "\(service.name).\($0.name)" }
      }
  }

  private mutating func add(_ symbol: String) -> String? {
    let symbols = Self.symbols(schema)
    let exact = symbols.first { $0 == symbol }
    let candidates = symbols.filter { $0.hasSuffix("." + symbol) }.sorted()
    guard let name = exact ?? candidates.first else { return nil }
    if let message = schema.messages[name] {
      add(message, 0)
    } else if let declaration = schema.enums[name] {
      add(declaration, 0)
    } else if let service = schema.services.first(where: { $0.name == name }) {
      add(service)
    } else if let (service, method) = schema.method(name) {
      add(method, 0)
      for type in [method.inputType, method.outputType] {
        lines.append("")
        if let message = schema.messages[type] { add(message, 0) }
      }
      return "\(service.name)/\(method.name)"
    }
    return name
  }

  private mutating func add(_ service: Schema.Service) {
    add(comment: service.comment, 0)
    lines.append("service \(service.name) {")
    for method in service.methods { add(method, 1) }
    lines.append("}")
  }

  private mutating func add(_ method: Schema.Method, _ depth: Int) {
    add(comment: method.comment, depth)
    let input = (method.isClientStreaming ? "stream " : "") + method.inputType
    let output = (method.isServerStreaming ? "stream " : "") + method.outputType
    let end =
      switch method.idempotency {
      case .unknown: ";"
      case .noSideEffects: " { option idempotency_level = NO_SIDE_EFFECTS; }"
      case .idempotent: " { option idempotency_level = IDEMPOTENT; }"
      }
    add("rpc \(method.name)(\(input)) returns (\(output))\(end)", depth)
  }

  private mutating func add(_ message: Schema.Message, _ depth: Int) {
    add(comment: message.comment, depth)
    let name = depth == 0 ? message.name : Reflection.shortName(message.name)
    add("message \(name) {", depth)
    for nested in message.nestedEnums { schema.enums[nested].map { add($0, depth + 1) } }
    for nested in message.nestedMessages { schema.messages[nested].map { add($0, depth + 1) } }
    var oneof: Int?
    for field in message.fields {
      let index = field.isOptional ? nil : field.oneofIndex
      if index != oneof {
        if oneof != nil { add("}", depth + 1) }
        if let index { add("oneof \(message.oneofs[index]) {", depth + 1) }
        oneof = index
      }
      add(field, depth + (index == nil ? 1 : 2))
    }
    if oneof != nil { add("}", depth + 1) }
    add("}", depth)
  }

  private mutating func add(_ field: FieldSchema, _ depth: Int) {
    add(comment: field.comment, depth)
    let label =
      field.isOptional ? "optional " : field.isRequired ? "required " : ""
    let type: String
    if let entry = schema.messages[field.typeName], entry.isMapEntry, entry.fields.count == 2 {
      type = "map<\(name(entry.fields[0])), \(name(entry.fields[1]))>"
    } else {
      type = (field.isRepeated ? "repeated " : label) + name(field)
    }
    add("\(type) \(field.name) = \(field.number);", depth)
  }

  private func name(_ field: FieldSchema) -> String {
    field.typeName.isEmpty ? field.kind.keyword : field.typeName
  }

  private mutating func add(_ declaration: Schema.Enum, _ depth: Int) {
    add(comment: declaration.comment, depth)
    let name = depth == 0 ? declaration.name : Reflection.shortName(declaration.name)
    add("enum \(name) {", depth)
    for value in declaration.values {
      add(comment: value.comment, depth + 1)
      add("\(value.name) = \(value.number);", depth + 1)
    }
    add("}", depth)
  }

  private mutating func add(comment: String, _ depth: Int) {
    var text = comment[...]
    while text.last?.isNewline ?? false { text.removeLast() }
    guard !text.isEmpty else { return }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      add("//" + printable(String(line)), depth)
    }
  }

  private mutating func add(_ line: String, _ depth: Int) {
    lines.append(String(repeating: "  ", count: depth) + line)
  }
}
