/// Prints how the fields of a message are written.
struct EncodingPrinter {
  let context: FileContext
  let message: MessageModel

  func print(to printer: inout SourcePrinter) {
    printer.documentation(["Writes the fields that differ from their defaults."])
    printer.block(
      "\(context.access)func writeFields(to writer: inout TidingsProtobuf.FieldWriter) {"
    ) { printer in
      for field in message.fields.sorted(by: { $0.number < $1.number }) {
        printField(field, to: &printer)
      }
    }
  }

  private func printField(_ field: FieldModel, to printer: inout SourcePrinter) {
    let name = "self." + SwiftNames.escaped(SwiftNames.property(field.name))
    switch field.label {
    case .singular:
      if context.isMessage(field.kind) {
        printer.line("if let value = \(name) { \(writing("value", field)) }")
      } else {
        printer.line("if \(isSet(name, field.kind)) { \(writing(name, field)) }")
      }
    case .optional:
      printer.line("if let value = \(name) { \(writing("value", field)) }")
    case .repeated:
      guard field.isPacked else {
        return printer.line("for value in \(name) { \(writing("value", field)) }")
      }
      printer.block("if !\(name).isEmpty {") { printer in
        printer.line("writer.tag(\(tag(field.number, .bytes)))")
        printer.line("let length = writer.begin()")
        printer.line("for value in \(name) { \(writing("value", field.kind, field.coding)) }")
        printer.line("writer.finish(length)")
      }
    case .map(let key):
      printMap(field, key, name, to: &printer)
    case .oneof(let index):
      let oneof = "self." + SwiftNames.escaped(SwiftNames.property(message.oneofs[index].name))
      let member = SwiftNames.property(field.name)
      printer.line("if case .\(member)(let value)? = \(oneof) { \(writing("value", field)) }")
    }
  }

  private func printMap(
    _ field: FieldModel,
    _ key: FieldModel.Key,
    _ name: String,
    to printer: inout SourcePrinter
  ) {
    printer.block("for index in \(name).encodingOrder {") { printer in
      printer.line("let (key, value) = \(name)[index]")
      printer.line("writer.tag(\(tag(field.number, .bytes)))")
      printer.line("let length = writer.begin()")
      let isKeySet = isSet("key", key.kind)
      printer.line("if \(isKeySet) { \(writing("key", 1, key.kind, key.coding)) }")
      let value = writing("value", 2, field.kind, field.coding)
      // An entry has its message, be it empty: without it, it would have none in C.
      printer.line(
        context.isMessage(field.kind) ? value : "if \(isSet("value", field.kind)) { \(value) }"
      )
      printer.line("writer.finish(length)")
    }
  }

  private func isSet(_ value: String, _ kind: FieldModel.Kind) -> String {
    switch kind {
    case .bool: value
    case .string, .bytes: "!\(value).isEmpty"
    case .enum: "\(value).rawValue != 0"
    default: "\(value) != 0"
    }
  }

  /// A field with its tag.
  private func writing(_ value: String, _ field: FieldModel) -> String {
    writing(value, field.number, field.kind, field.coding)
  }

  private func writing(
    _ value: String,
    _ number: Int32,
    _ kind: FieldModel.Kind,
    _ coding: FieldModel.Coding
  ) -> String {
    "writer.tag(\(tag(number, coding))); \(writing(value, kind, coding))"
  }

  private func writing(
    _ value: String,
    _ kind: FieldModel.Kind,
    _ coding: FieldModel.Coding
  ) -> String {
    if case .enum = kind { return "writer.int32(\(value).rawValue)" }
    return "writer.\(coding.rawValue)(\(value))"
  }

  private func tag(_ number: Int32, _ coding: FieldModel.Coding) -> String {
    String(UInt32(bitPattern: number) << 3 | coding.wireType)
  }
}
