/// Prints an enum as a struct, so that a number from a newer peer is still a value.
struct EnumPrinter {
  let context: FileContext
  let model: EnumModel

  func print(to printer: inout SourcePrinter) {
    let access = context.access
    let name = SwiftNames.escaped(SwiftNames.type(model.name))
    printer.documentation(model.comment)
    let conformances = "RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible"
    printer.block("\(access)struct \(name): \(conformances) {") { printer in
      printer.documentation(["The number; one that the .proto file does not have is still a value."]
      )
      printer.line("\(access)let rawValue: Int32")
      printer.line()
      printer.documentation(["A value from its number."])
      printer.line("\(access)init(rawValue: Int32) { self.rawValue = rawValue }")
      printer.line()
      printConstants(to: &printer)
      printer.line()
      printAllCases(to: &printer)
      printer.line()
      printDescription(to: &printer)
    }
  }

  private func constant(_ value: EnumValueModel) -> String {
    SwiftNames.escaped(SwiftNames.constant(value.name, of: model.name))
  }

  private func printConstants(to printer: inout SourcePrinter) {
    for value in model.values {
      printer.documentation(value.comment)
      printer.line(
        "\(context.access)static let \(constant(value)) = Self(rawValue: \(value.number))"
      )
    }
  }

  /// Without aliases.
  private var distinctValues: [EnumValueModel] {
    var seen: Set<Int32> = []
    return model.values.filter { seen.insert($0.number).inserted }
  }

  private func printAllCases(to printer: inout SourcePrinter) {
    printer.documentation(["The values of the .proto file, in its order."])
    printer.block("\(context.access)static let allCases: [Self] = [", end: "]") { printer in
      for value in distinctValues { printer.line(".\(constant(value)),") }
    }
  }

  private func printDescription(to printer: inout SourcePrinter) {
    printer.documentation(["The name in the .proto file, or the number of an unknown value."])
    printer.block("\(context.access)var description: String {") { printer in
      printer.line("switch rawValue {")
      for value in distinctValues { printer.line("case \(value.number): \"\(value.name)\"") }
      printer.line("default: String(rawValue)")
      printer.line("}")
    }
  }
}
