/// Prints how a message is made from its C struct.
struct DecodingPrinter {
  let context: FileContext
  let message: MessageModel

  func print(to printer: inout SourcePrinter) {
    printUnpack(to: &printer)
    printer.line()
    printer.documentation(["Converts the generated C struct."])
    let access = context.access
    printer.line("\(access)init(")
    printer.line("  unpacked pointer: UnsafeRawPointer")
    printer.block(") throws(TidingsProtobuf.MessageDecodingError) {") { printer in
      printer.line("self.init()")
      guard !message.fields.isEmpty else { return }
      printer.line(
        "let c = pointer.assumingMemoryBound(to: \(context.cType(message.fullName)).self)"
      )
      for field in message.fields {
        if case .oneof = field.label { continue }
        printField(field, to: &printer)
      }
      for index in message.oneofs.indices { printOneof(index, to: &printer) }
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
    let member = "c.pointee." + CNames.member(field.name)
    let count = "c.pointee." + CNames.count(field.name)
    switch field.label {
    case .singular:
      switch field.kind {
      case .message:
        printer.block("if let value = \(member) {") { printer in
          let type = context.valueType(field.kind)
          printer.line("\(name) = try \(type)(unpacked: UnsafeRawPointer(value))")
        }
      default: printer.line("\(name) = \(conversion(field.kind, member, field.fullName))")
      }
    case .optional(let oneof):
      let oneofCase = "c.pointee." + CNames.oneofCase(oneof)
      printer.block("if \(oneofCase).rawValue == \(field.number) {") { printer in
        printer.line("\(name) = \(conversion(field.kind, member, field.fullName))")
      }
    case .repeated:
      printer.block("if \(count) > 0 {") { printer in
        let value = repeatedConversion(field.kind, "\(count), \(member)", field.fullName)
        printer.line("\(name) = \(value)")
      }
    case .map(let key, _):
      printMap(field, key, name: name, member: member, count: count, to: &printer)
    case .oneof:
      break
    }
  }

  private func printMap(
    _ field: FieldModel,
    _ key: FieldModel.Kind,
    name: String,
    member: String,
    count: String,
    to printer: inout SourcePrinter
  ) {
    printer.block("if let entries = \(member), \(count) > 0 {") { printer in
      printer.line("\(name).reserveCapacity(\(count))")
      printer.block("for index in 0..<\(count) {") { printer in
        printer.line("guard let entry = entries[index] else { continue }")
        let key = conversion(key, "entry.pointee.key", field.fullName)
        printer.line("let key = \(key)")
        let value = conversion(field.kind, "entry.pointee.value", field.fullName)
        if context.isMessage(field.kind) {
          // A message has no default in C: an entry without a value has none.
          printer.line("\(name)[key] = \(value) ?? .init()")
        } else {
          printer.line("\(name)[key] = \(value)")
        }
      }
    }
  }

  private func printOneof(_ index: Int, to printer: inout SourcePrinter) {
    let oneof = message.oneofs[index]
    let name = "self." + SwiftNames.escaped(SwiftNames.property(oneof.name))
    printer.line("switch c.pointee.\(CNames.oneofCase(oneof.name)).rawValue {")
    for field in message.fields {
      guard case .oneof(let owner) = field.label, owner == index else { continue }
      let caseName = "." + SwiftNames.property(field.name)
      let member = "c.pointee." + CNames.member(field.name)
      printer.line("case \(field.number):")
      printer.indented { printer in
        if context.isMessage(field.kind) {
          printer.block("if let value = \(member) {") { printer in
            let type = context.valueType(field.kind)
            printer.line(
              "\(name) = \(caseName)(try \(type)(unpacked: UnsafeRawPointer(value)))"
            )
          }
        } else {
          let value = conversion(field.kind, member, field.fullName)
          printer.line("\(name) = \(caseName)(\(value))")
        }
      }
    }
    printer.line("default: break")
    printer.line("}")
  }

  /// The Swift value of a C member.
  private func conversion(_ kind: FieldModel.Kind, _ member: String, _ field: String) -> String {
    switch kind {
    case .double, .float, .int32, .int64, .uint32, .uint64: member
    case .bool: "\(member) != 0"
    case .string: "try TidingsProtobuf.Unpacked.string(\(member), \"\(field)\")"
    case .bytes: "TidingsProtobuf.Unpacked.bytes(\(member))"
    case .message: "try TidingsProtobuf.Unpacked.message(\(member))"
    case .enum(let name):
      "\(context.types.swiftName(name))(rawValue: Int32(truncatingIfNeeded: \(member).rawValue))"
    }
  }

  /// The Swift array of a counted C member.
  private func repeatedConversion(
    _ kind: FieldModel.Kind,
    _ members: String,
    _ field: String
  ) -> String {
    switch kind {
    case .double, .float, .int32, .int64, .uint32, .uint64:
      "TidingsProtobuf.Unpacked.numbers(\(members))"
    case .bool: "TidingsProtobuf.Unpacked.bools(\(members))"
    case .string: "try TidingsProtobuf.Unpacked.strings(\(members), \"\(field)\")"
    case .bytes: "TidingsProtobuf.Unpacked.byteStrings(\(members))"
    case .message: "try TidingsProtobuf.Unpacked.messages(\(members))"
    case .enum(let name):
      "TidingsProtobuf.Unpacked.enums(\(members)) { \(context.types.swiftName(name))(rawValue: $0) }"
    }
  }
}
