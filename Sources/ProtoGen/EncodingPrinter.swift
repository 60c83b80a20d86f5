/// Prints how a message's C struct is built.
struct EncodingPrinter {
  let context: FileContext
  let message: MessageModel

  func print(to printer: inout SourcePrinter) {
    printer.documentation(["Builds the generated C struct in the arena."])
    printer.line("\(context.access)func packed(")
    printer.line("  in arena: borrowing TidingsProtobuf.Arena")
    printer.block(") -> UnsafeMutableRawPointer {") { printer in
      printer.line("let c = arena.allocate(\(context.cType(message.fullName)).self)")
      printer.line("\(CNames.functionPrefix(message.fullName))__init(c)")
      for field in message.fields {
        if case .oneof = field.label { continue }
        printField(field, to: &printer)
      }
      for index in message.oneofs.indices { printOneof(index, to: &printer) }
      printer.line("return UnsafeMutableRawPointer(c)")
    }
  }

  private func printField(_ field: FieldModel, to printer: inout SourcePrinter) {
    let name = "self." + SwiftNames.escaped(SwiftNames.property(field.name))
    let member = "c.pointee." + CNames.member(field.name)
    switch field.label {
    case .singular:
      if context.isMessage(field.kind) {
        printer.line("if let value = \(name) { \(member) = arena.packed(value) }")
      } else {
        printer.line("\(member) = \(conversion(field.kind, name))")
      }
    case .optional(let oneof):
      printer.block("if let value = \(name) {") { printer in
        printer.line("c.pointee.\(CNames.oneofCase(oneof)) = .init(rawValue: \(field.number))")
        printer.line("\(member) = \(conversion(field.kind, "value"))")
      }
    case .repeated:
      printer.block("if !\(name).isEmpty {") { printer in
        printer.line("c.pointee.\(CNames.count(field.name)) = \(name).count")
        printer.line("\(member) = arena.packed(\(name)) { \(conversion(field.kind, "$0")) }")
      }
    case .map(let key, let entry):
      printMap(field, key, entry: context.cType(entry), CNames.functionPrefix(entry), to: &printer)
    case .oneof:
      break
    }
  }

  private func printMap(
    _ field: FieldModel,
    _ key: FieldModel.Kind,
    entry: String,
    _ prefix: String,
    to printer: inout SourcePrinter
  ) {
    let name = "self." + SwiftNames.escaped(SwiftNames.property(field.name))
    printer.block("if !\(name).isEmpty {") { printer in
      printer.line("c.pointee.\(CNames.count(field.name)) = \(name).count")
      printer.line("c.pointee.\(CNames.member(field.name)) = arena.packedMap(\(name)) {")
      printer.indented { printer in
        printer.line("let entry = arena.allocate(\(entry).self)")
        printer.line("\(prefix)__init(entry)")
        printer.line("entry.pointee.key = \(conversion(key, "$0.key"))")
        printer.line("entry.pointee.value = \(conversion(field.kind, "$0.value"))")
        printer.line("return entry")
      }
      printer.block("} isOrderedBefore: {") { printer in
        printer.line(ordering(key))
      }
    }
  }

  private func ordering(_ key: FieldModel.Kind) -> String {
    switch key {
    case .string: "TidingsProtobuf.isOrderedBefore($0.pointee.key, $1.pointee.key)"
    default: "$0.pointee.key < $1.pointee.key"
    }
  }

  private func printOneof(_ index: Int, to printer: inout SourcePrinter) {
    let oneof = message.oneofs[index]
    printer.line("switch self.\(SwiftNames.escaped(SwiftNames.property(oneof.name))) {")
    for field in message.fields {
      guard case .oneof(let owner) = field.label, owner == index else { continue }
      printer.line("case .\(SwiftNames.property(field.name))(let value)?:")
      printer.indented { printer in
        let oneofCase = CNames.oneofCase(oneof.name)
        printer.line("c.pointee.\(oneofCase) = .init(rawValue: \(field.number))")
        printer.line(
          "c.pointee.\(CNames.member(field.name)) = \(conversion(field.kind, "value"))"
        )
      }
    }
    printer.line("case nil: break")
    printer.line("}")
  }

  /// The C value of a Swift value.
  private func conversion(_ kind: FieldModel.Kind, _ value: String) -> String {
    switch kind {
    case .double, .float, .int32, .int64, .uint32, .uint64: value
    case .bool: "\(value) ? 1 : 0"
    case .string, .bytes, .message: "arena.packed(\(value))"
    case .enum(let name):
      "\(context.cType(name))(rawValue: .init(truncatingIfNeeded: \(value).rawValue))"
    }
  }
}
