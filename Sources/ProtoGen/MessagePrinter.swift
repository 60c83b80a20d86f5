/// Prints a message as a struct: its properties, initializers and nested types.
struct MessagePrinter {
  let context: FileContext
  let message: MessageModel

  func print(to printer: inout SourcePrinter) {
    let name = SwiftNames.escaped(SwiftNames.type(message.name))
    printer.documentation(message.comment)
    printer.block("\(context.access)struct \(name): Hashable, Sendable {") { printer in
      let properties = Property.all(of: message, in: context)
      for property in properties { printProperty(property, to: &printer) }
      if !properties.isEmpty { printer.line() }
      printInitializers(properties, to: &printer)
      printFieldNumbers(to: &printer)
      for index in message.oneofs.indices {
        OneofPrinter(context: context, message: message, index: index).print(to: &printer)
      }
      for item in message.enums {
        printer.line()
        EnumPrinter(context: context, model: item).print(to: &printer)
      }
      for nested in message.messages {
        printer.line()
        MessagePrinter(context: context, message: nested).print(to: &printer)
      }
    }
  }

  private func printProperty(_ property: Property, to printer: inout SourcePrinter) {
    let name = SwiftNames.escaped(property.name)
    printer.documentation(property.comment)
    guard property.isIndirect else {
      printer.line("\(context.access)var \(name): \(property.type) = \(property.defaultValue)")
      return
    }
    printer.block("\(context.access)var \(name): \(property.type) {") { printer in
      printer.line("get { _\(property.name)?.value }")
      printer.line("set { _\(property.name) = newValue.map { TidingsProtobuf.Indirect($0) } }")
    }
    let stored = "TidingsProtobuf.Indirect<\(property.type.dropLast())>?"
    printer.line("private var _\(property.name): \(stored) = nil")
  }

  /// What is written or read by hand names its fields.
  private func printFieldNumbers(to printer: inout SourcePrinter) {
    guard !message.fields.isEmpty else { return }
    printer.line()
    printer.documentation(["The numbers of the fields on the wire."])
    printer.block("\(context.access)enum FieldNumber {") { printer in
      let inlinable = context.access == "public " ? "@inlinable " : ""
      for field in message.fields {
        let name = SwiftNames.escaped(SwiftNames.property(field.name))
        printer.line("\(inlinable)\(context.access)static var \(name): Int { \(field.number) }")
      }
    }
  }

  private func printInitializers(_ properties: [Property], to printer: inout SourcePrinter) {
    printer.documentation(["All fields at their defaults."])
    printer.line("\(context.access)init() {}")
    guard !properties.isEmpty else { return }
    printer.line()
    printer.documentation(["The fields named; the others at their defaults."])
    printer.line("\(context.access)init(")
    printer.indented { printer in
      for (index, property) in properties.enumerated() {
        let comma = index == properties.count - 1 ? "" : ","
        let name = SwiftNames.escaped(property.name)
        printer.line("\(name): \(property.type) = \(property.defaultValue)\(comma)")
      }
    }
    printer.block(") {") { printer in
      for property in properties {
        let name = SwiftNames.escaped(property.name)
        printer.line("self.\(name) = \(name)")
      }
    }
  }
}
