/// Prints a service: its descriptors, the client stub and the server protocol.
struct ServicePrinter {
  let context: FileContext
  let service: ServiceModel

  private var access: String { context.access }
  private var name: String { SwiftNames.escaped(SwiftNames.type(service.name)) }

  private var path: String {
    SwiftNames.namespace(context.file.package).map { SwiftNames.escaped($0) + "." + name } ?? name
  }

  func print(to printer: inout SourcePrinter) throws(GenerationError) {
    for method in service.methods where method.clientStreaming {
      throw GenerationError(
        "\(context.file.name): \(service.fullName)/\(method.name) streams requests, which Tidings "
          + "does not carry; make it unary, or stream responses only"
      )
    }
    printer.line()
    if let namespace = SwiftNames.namespace(context.file.package) {
      printer.block("extension \(SwiftNames.escaped(namespace)) {") { printer in
        printService(to: &printer)
      }
    } else {
      printService(to: &printer)
    }
    printServerDefaults(to: &printer)
  }

  private func printService(to printer: inout SourcePrinter) {
    printer.documentation(service.comment)
    printer.block("\(access)enum \(name) {") { printer in
      printDescriptor(to: &printer)
      printer.line()
      printMethods(to: &printer)
      printer.line()
      printClient(to: &printer)
      printer.line()
      printServer(to: &printer)
    }
  }

  // MARK: - Descriptors

  private func printDescriptor(to printer: inout SourcePrinter) {
    printer.documentation(["Describes the service."])
    printer.line("\(access)static let descriptor = TidingsRPC.ServiceDescriptor(")
    printer.indented { printer in
      let methods = service.methods.map { "Methods." + property($0) }.joined(separator: ", ")
      let file = SwiftNames.fileDescriptor(context.file.name)
      printer.line("name: \"\(service.fullName)\",")
      printer.line("methods: [\(methods)],")
      printer.line(
        "fileDescriptors: TidingsProtobuf.FileDescriptor.\(file).serializedWithDependencies)"
      )
    }
  }

  private func printMethods(to printer: inout SourcePrinter) {
    printer.documentation(["Describes each method."])
    printer.block("\(access)enum Methods {") { printer in
      for method in service.methods {
        printer.documentation(method.comment)
        printer.line("\(access)static let \(property(method)) = TidingsRPC.MethodDescriptor(")
        printer.indented { printer in
          printer.line("service: \"\(service.fullName)\",")
          printer.line("name: \"\(method.name)\",")
          printer.line("kind: \(method.serverStreaming ? ".serverStreaming" : ".unary"),")
          printer.line("idempotency: .\(method.idempotency.rawValue),")
          printer.line("inputType: \"\(method.input)\",")
          printer.line("outputType: \"\(method.output)\")")
        }
      }
    }
  }

  // MARK: - Client

  private func printClient(to printer: inout SourcePrinter) {
    printer.documentation(["Calls the service."])
    printer.block("\(access)struct Client: Sendable {") { printer in
      printer.line("private let transport: any TidingsRPC.ClientTransport")
      printer.line()
      printer.documentation(["A client whose calls a transport carries."])
      printer.line(
        "\(access)init(_ transport: any TidingsRPC.ClientTransport) { self.transport = transport }"
      )
      for method in service.methods {
        printer.line()
        printer.documentation(method.comment)
        if method.serverStreaming {
          printStreamingCall(method, to: &printer)
        } else {
          printUnaryCall(method, to: &printer)
        }
      }
    }
  }

  private func printCallParameters(_ method: MethodModel, to printer: inout SourcePrinter) {
    printer.line("\(access)func \(property(method))(")
    printer.line("  _ request: \(context.types.swiftName(method.input)),")
    printer.line("  options: TidingsRPC.CallOptions = TidingsRPC.CallOptions()")
  }

  private func printUnaryCall(_ method: MethodModel, to printer: inout SourcePrinter) {
    let output = context.types.swiftName(method.output)
    printCallParameters(method, to: &printer)
    printer.block(") async throws(TidingsRPC.RPCError) -> \(output) {") { printer in
      printer.line("let response = try await transport.unary(")
      printer.line("  Methods.\(property(method)), request.encoded(), options: options)")
      printer.line("do {")
      printer.line("  return try \(output)(decoding: response)")
      printer.line("} catch {")
      printer.line(
        "  throw TidingsRPC.RPCError("
          + ".internal, \"the response is not valid: \\(error)\", cause: error)"
      )
      printer.line("}")
    }
  }

  private func printStreamingCall(_ method: MethodModel, to printer: inout SourcePrinter) {
    let output = context.types.swiftName(method.output)
    printCallParameters(method, to: &printer)
    printer.block(") -> TidingsRPC.MessageStream<\(output)> {") { printer in
      printer.line("TidingsRPC.MessageStream(")
      printer.line("  transport.serverStreaming(")
      printer.line("    Methods.\(property(method)), request.encoded(), options: options))")
    }
  }

  // MARK: - Server

  private func printServer(to printer: inout SourcePrinter) {
    printer.documentation([
      "Answers the service's calls.", "",
      "A method that is not written is answered UNIMPLEMENTED.",
    ])
    printer.block("\(access)protocol Server: TidingsRPC.RPCService {") { printer in
      for (index, method) in service.methods.enumerated() {
        if index > 0 { printer.line() }
        printer.documentation(method.comment)
        printServerSignature(method, access: "", end: "", to: &printer)
      }
    }
  }

  private func printServerSignature(
    _ method: MethodModel,
    access: String,
    end: String,
    to printer: inout SourcePrinter
  ) {
    let output = context.types.swiftName(method.output)
    printer.line("\(access)func \(property(method))(")
    printer.indented { printer in
      printer.line("_ request: \(context.types.swiftName(method.input)),")
      printer.line("call: TidingsRPC.ServerCall\(method.serverStreaming ? "," : "")")
      if method.serverStreaming {
        printer.line("responses: TidingsRPC.MessageWriter<\(output)>")
      }
    }
    printer.line(") async throws\(method.serverStreaming ? "" : " -> " + output)\(end)")
  }

  private func printServerDefaults(to printer: inout SourcePrinter) {
    printer.line()
    printer.block("extension \(path).Server {") { printer in
      printer.documentation(["Describes the service."])
      printer.line(
        "\(access)static var descriptor: TidingsRPC.ServiceDescriptor { \(path).descriptor }"
      )
      for method in service.methods {
        printer.line()
        printer.documentation(["Answers UNIMPLEMENTED."])
        printServerSignature(method, access: access, end: " {", to: &printer)
        printer.indented { printer in
          printer.line("throw TidingsRPC.RPCError(")
          printer.line(
            "  .unimplemented, \"\(service.fullName)/\(method.name) is not implemented\")"
          )
        }
        printer.line("}")
      }
      printer.line()
      printDispatch(to: &printer)
    }
  }

  private func printDispatch(to printer: inout SourcePrinter) {
    printer.documentation(["Decodes the request, calls the method and encodes its response."])
    printer.line("\(access)func handleUnary(")
    printer.line("  _ call: TidingsRPC.ServerCall, _ request: [UInt8]")
    printer.block(") async throws -> [UInt8] {") { printer in
      printDispatch(service.methods.filter { !$0.serverStreaming }, to: &printer) { method in
        "return try await self.\(property(method))(message, call: call).encoded()"
      }
    }
    printer.line()
    printer.documentation(["Decodes the request and calls the method, which writes its responses."])
    printer.line("\(access)func handleServerStreaming(")
    printer.line("  _ call: TidingsRPC.ServerCall,")
    printer.line("  _ request: [UInt8],")
    printer.line("  _ writer: any TidingsRPC.ResponseWriter")
    printer.block(") async throws {") { printer in
      printDispatch(service.methods.filter(\.serverStreaming), to: &printer) { method in
        "try await self.\(property(method))("
          + "message, call: call, responses: TidingsRPC.MessageWriter(writer))"
      }
    }
  }

  private func printDispatch(
    _ methods: [MethodModel],
    to printer: inout SourcePrinter,
    _ call: (MethodModel) -> String
  ) {
    let unknown =
      "throw TidingsRPC.RPCError("
      + ".unimplemented, \"\\(call.method.fullName) is not such a method\")"
    guard !methods.isEmpty else { return printer.line(unknown) }
    printer.line("switch call.method.name {")
    for method in methods {
      printer.line("case \"\(method.name)\":")
      printer.indented { printer in
        printer.line("let message: \(input(method))")
        printer.line("do { message = try \(input(method))(decoding: request) } catch {")
        printer.line("  throw TidingsRPC.RPCError(.invalidArgument, \"\\(error)\", cause: error)")
        printer.line("}")
        printer.line(call(method))
      }
    }
    printer.line("default:")
    printer.line("  \(unknown)")
    printer.line("}")
  }

  private func input(_ method: MethodModel) -> String { context.types.swiftName(method.input) }

  private func property(_ method: MethodModel) -> String {
    SwiftNames.escaped(SwiftNames.method(method.name))
  }
}
