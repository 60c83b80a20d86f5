/// Prints the Python stubs of a service: one to be awaited, one that waits.
struct PythonServicePrinter {
  /// How a stub calls.
  private enum Style {
    case awaited, waiting

    var suffix: String { self == .awaited ? "Client" : "SyncClient" }
    var transport: String { self == .awaited ? "Transport" : "SyncTransport" }
    var definition: String { self == .awaited ? "async def" : "def" }
    var stream: String { self == .awaited ? "MessageStream" : "SyncMessageStream" }
    var waits: String { self == .awaited ? "await " : "" }
  }

  let file: FileModel
  let service: ServiceModel
  let imports: PythonImports

  func print(to printer: inout SourcePrinter) throws(GenerationError) {
    for method in service.methods where method.clientStreaming {
      throw GenerationError(
        "\(file.name): \(service.fullName)/\(method.name) streams requests, which Tidings does not "
          + "carry; make it unary, or stream responses only"
      )
    }
    printDescriptors(to: &printer)
    printStub(.awaited, to: &printer)
    printStub(.waiting, to: &printer)
  }

  // MARK: - Descriptors

  private func printDescriptors(to printer: inout SourcePrinter) {
    printTwoBlankLines(to: &printer)
    printer.line("class \(service.name)Methods:")
    printer.indented { printer in
      printDocumentation(["Describes the methods of ``\(service.fullName)``."], to: &printer)
      for method in service.methods {
        printer.line()
        printer.line("\(PythonNames.constant(method.name)): Final = MethodDescriptor(")
        printer.indented { printer in
          printer.line("full_name=\"\(service.fullName)/\(method.name)\",")
          printer.line("request_type=\(imports.type(method.input)),")
          printer.line("response_type=\(imports.type(method.output)),")
          printer.line("is_streaming=\(method.serverStreaming ? "True" : "False"),")
          printer.line("idempotency=Idempotency.\(Self.idempotency(method)),")
        }
        printer.line(")")
      }
    }
  }

  private static func idempotency(_ method: MethodModel) -> String {
    switch method.idempotency {
    case .unknown: "UNKNOWN"
    case .idempotent: "IDEMPOTENT"
    case .noSideEffects: "NO_SIDE_EFFECTS"
    }
  }

  // MARK: - Stubs

  private func printStub(_ style: Style, to printer: inout SourcePrinter) {
    printTwoBlankLines(to: &printer)
    printer.line("class \(service.name)\(style.suffix):")
    printer.indented { printer in
      let summary = ["Calls ``\(service.fullName)``."]
      printDocumentation(service.comment.isEmpty ? summary : service.comment, to: &printer)
      printer.line()
      printer.line("def __init__(self, transport: \(style.transport)) -> None:")
      printer.indented { $0.line("self._transport = transport") }
      for method in service.methods {
        printer.line()
        printCall(method, style, to: &printer)
      }
    }
  }

  private func printCall(_ method: MethodModel, _ style: Style, to printer: inout SourcePrinter) {
    let response = imports.type(method.output)
    let isStream = method.serverStreaming
    let definition = isStream ? "def" : style.definition
    printer.line("\(definition) \(PythonNames.function(method.name))(")
    printer.indented { printer in
      printer.line("self,")
      printer.line("request: \(imports.type(method.input)),")
      printer.line("*,")
      printer.line("timeout: float | None = None,")
      printer.line("metadata: Mapping[str, str] | None = None,")
      printer.line(isStream ? "credit: int = 0," : "idempotency_key: str | None = None,")
    }
    printer.line(") -> \(isStream ? style.stream + "[\(response)]" : response):")
    printer.indented { printer in
      let summary = ["Calls ``\(service.fullName)/\(method.name)``."]
      printDocumentation(method.comment.isEmpty ? summary : method.comment, to: &printer)
      let call = isStream ? "self._transport.server_streaming" : "self._transport.unary"
      let option = isStream ? "credit=credit" : "idempotency_key=idempotency_key"
      printer.line("return \(isStream ? "" : style.waits)\(call)(")
      printer.indented { printer in
        printer.line("\(service.name)Methods.\(PythonNames.constant(method.name)),")
        printer.line("request,")
        printer.line("CallOptions(timeout=timeout, metadata=metadata or {}, \(option)),")
      }
      printer.line(")")
    }
  }

  // MARK: - Text

  private func printTwoBlankLines(to printer: inout SourcePrinter) {
    printer.line()
    printer.line()
  }

  private func printDocumentation(_ lines: [String], to printer: inout SourcePrinter) {
    for line in PythonDocstring.lines(lines) { printer.line(line) }
  }
}
