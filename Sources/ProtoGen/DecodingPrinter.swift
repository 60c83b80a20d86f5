/// Prints how the fields of a message are read.
struct DecodingPrinter {
  let context: FileContext
  let message: MessageModel

  func print(to printer: inout SourcePrinter) {
    printUnpack(to: &printer)
    printer.line()
    printer.documentation(["Reads fields."])
    printer.line("\(context.access)mutating func readFields(")
    printer.line("  _ reader: inout TidingsProtobuf.FieldReader")
    printer.block(") throws(TidingsProtobuf.MessageDecodingError) {") { printer in
      printer.block("while let field = try reader.next() {") { printer in
        guard !message.fields.isEmpty else { return printer.line("try reader.skip(field)") }
        printer.line("switch field {")
        for field in message.fields {
          printer.line("case \(field.number):")
          printer.indented { printField(field, to: &$0) }
        }
        printer.line("default: try reader.skip(field)")
        printer.line("}")
      }
    }
  }

  private func printUnpack(to printer: inout SourcePrinter) {
    let prefix = CNames.functionPrefix(message.fullName)
    printer.documentation(["Unpacks bytes into the arena."])
    printer.line("\(context.access)static func unpack(")
    printer.line("  _ bytes: RawSpan, in arena: borrowing TidingsProtobuf.Arena")
    printer.block(") throws(TidingsProtobuf.MessageDecodingError) -> UnsafeRawPointer {") {
      printer in
      let check = context.layout.needsNestingCheck(message.fullName) ? ", checksNesting: true" : ""
      printer.line("try arena.unpack(bytes, \"\(message.fullName)\", \(prefix)__init\(check))")
    }
  }

  private func printField(_ field: FieldModel, to printer: inout SourcePrinter) {
    let name = "self." + SwiftNames.escaped(SwiftNames.property(field.name))
    switch field.label {
    case .singular, .optional:
      if context.isMessage(field.kind) {
        printer.line("try reader.message(into: &\(name))")
      } else {
        printer.line("\(name) = \(value(field))")
      }
    case .repeated:
      if context.isMessage(field.kind) {
        return printer.line("try reader.message(appendingTo: &\(name))")
      }
      guard let type = field.coding.numberType else {
        return printer.line("\(name).append(\(value(field)))")
      }
      let error = "TidingsProtobuf.MessageDecodingError"
      printer.block("try reader.\(type)s { (reader) throws(\(error)) in") {
        $0.line("\(name).append(\(value(field)))")
      }
    case .map(let key):
      printMap(field, key, name, to: &printer)
    case .oneof(let index):
      let oneof = "self." + SwiftNames.escaped(SwiftNames.property(message.oneofs[index].name))
      printer.line("\(oneof) = .\(SwiftNames.property(field.name))(\(value(field)))")
    }
  }

  private func printMap(
    _ field: FieldModel,
    _ key: FieldModel.Key,
    _ name: String,
    to printer: inout SourcePrinter
  ) {
    if case .string = key.kind, context.isMessage(field.kind) {
      return printer.line("try reader.entry(of: &\(name), \(field.number), \"\(field.fullName)\")")
    }
    printer.line(
      "if \(name).isEmpty { \(name).reserveCapacity(reader.entryCount(of: \(field.number))) }"
    )
    printer.line("var entry = try reader.nested()")
    for (part, kind) in [("key", key.kind), ("value", field.kind)] {
      printer.line("var \(part): \(context.valueType(kind)) = \(context.emptyValue(kind))")
    }
    printer.block("while let part = try entry.next() {") { printer in
      printer.line("switch part {")
      printer.line("case 1: key = \(value(key.kind, key.coding, field.fullName, from: "entry"))")
      if context.isMessage(field.kind) {
        printer.line("case 2: try entry.message(into: &value)")
      } else {
        printer.line("case 2: value = \(value(field, from: "entry"))")
      }
      printer.line("default: try entry.skip(part)")
      printer.line("}")
    }
    printer.line("\(name)[key] = value")
  }

  private func value(_ field: FieldModel, from reader: String = "reader") -> String {
    value(field.kind, field.coding, field.fullName, from: reader)
  }

  private func value(
    _ kind: FieldModel.Kind,
    _ coding: FieldModel.Coding,
    _ name: String,
    from reader: String
  ) -> String {
    switch kind {
    case .string: "try \(reader).string(\"\(name)\")"
    case .message: "try \(reader).message()"
    case .enum(let name): "\(context.types.swiftName(name))(rawValue: try \(reader).int32())"
    default: "try \(reader).\(coding.rawValue)()"
    }
  }
}
