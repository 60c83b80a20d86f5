/// Prints the enum of a oneof.
struct OneofPrinter {
  let context: FileContext
  let message: MessageModel
  let index: Int

  /// The enum's name; differs from the oneof's where a nested type has that one.
  static func typeName(_ oneof: OneofModel, in message: MessageModel) -> String {
    let name = SwiftNames.type(SwiftNames.oneofType(oneof.name))
    let taken = message.messages.map(\.name) + message.enums.map(\.name)
    return SwiftNames.escaped(taken.contains(name) ? name + "OneOf" : name)
  }

  func print(to printer: inout SourcePrinter) {
    let oneof = message.oneofs[index]
    printer.line()
    printer.documentation(oneof.comment)
    let name = Self.typeName(oneof, in: message)
    printer.block("\(context.access)enum \(name): Hashable, Sendable {") { printer in
      for field in message.fields {
        guard case .oneof(let owner) = field.label, owner == index else { continue }
        printer.documentation(field.comment)
        let indirect = context.isIndirect(field) ? "indirect " : ""
        let caseName = SwiftNames.escaped(SwiftNames.property(field.name))
        printer.line("\(indirect)case \(caseName)(\(context.valueType(field.kind)))")
      }
    }
  }
}
