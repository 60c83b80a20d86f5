internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// SchemaService.
struct SchemaMethods {
  let engine: Engine
  let reads: ReadDispatch
  let rights: AdministrativeRights

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.SchemaService.Methods
    let showsAll = rights.callerMode == .development
    reads.register(Methods.fetchSchema, on: loop) { reader, caller, body in
      try Self.fetchSchema(reader, caller, body, showsAll: showsAll)
    }
    calls.register(
      Methods.applySchema,
      .write,
      on: loop,
      repeating: { [self] call, answer in
        let request = try TidingsV1.ApplySchemaRequest(decoding: call.body.bytes, in: call.arena)
        try rights.requireDeveloper(
          call,
          of: try containerName(request.container),
          Methods.applySchema
        )
        return answer
      },
      // An operator may allow schemas that take longer to read; larger ones are refused as such.
      requestBytesMax: max(LoopContext.readBytesMax, engine.limits.schemaBytesMax) * 2,
      handler: { [self] in .answered(try applySchema($0)) }
    )
    calls.register(
      Methods.deploySchema,
      .write,
      on: loop,
      repeating: { [self] call, answer in
        let request = try TidingsV1.DeploySchemaRequest(decoding: call.body.bytes, in: call.arena)
        try rights.requireDeveloper(
          call,
          of: try containerName(request.container),
          Methods.deploySchema
        )
        return answer
      },
      handler: { [self] in .answered(try deploySchema($0)) }
    )
  }

  private static func fetchSchema(
    _ reader: StoreReader,
    _ caller: Caller,
    _ body: UnsafeRawBufferPointer,
    showsAll: Bool
  ) throws -> [UInt8] {
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    let request = try TidingsV1.FetchSchemaRequest(decoding: body.bytes, in: reader.arena)
    let info = try reader.engine.schema(
      of: try containerName(request.container),
      try request.environment.model,
      for: showsAll ? nil : caller.user
    )
    return TidingsV1.FetchSchemaResponse(
      text: info.schema.text,
      indexes: info.indexes.map { .init($0) },
      version: UInt64(clamping: info.version)
    ).encoded(in: reader.arena)
  }

  private func applySchema(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.ApplySchemaRequest(decoding: call.body.bytes, in: call.arena)
    let method = TidingsV1.SchemaService.Methods.applySchema
    let container = try containerName(request.container)
    try rights.requireDeveloper(call, of: container, method)
    let changes = try engine.applySchema(request.text, to: container, isDryRun: request.dryRun)
    return changed(
      TidingsV1.ApplySchemaResponse(changes: changes.map { .init($0) }).encoded(in: call.arena),
      container,
      isDryRun: request.dryRun,
      method,
      call
    )
  }

  private func deploySchema(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.DeploySchemaRequest(decoding: call.body.bytes, in: call.arena)
    let method = TidingsV1.SchemaService.Methods.deploySchema
    let container = try containerName(request.container)
    try rights.requireDeveloper(call, of: container, method)
    let changes = try engine.deploySchema(of: container, isDryRun: request.dryRun)
    return changed(
      TidingsV1.DeploySchemaResponse(changes: changes.map { .init($0) }).encoded(in: call.arena),
      container,
      isDryRun: request.dryRun,
      method,
      call
    )
  }

  /// The answer to a call that changes a schema; a dry run leaves nothing behind.
  private func changed(
    _ response: [UInt8],
    _ container: String,
    isDryRun: Bool,
    _ method: MethodDescriptor,
    _ call: borrowing StoreCall
  ) -> CallAnswer {
    guard !isDryRun else { return CallAnswer(response, kept: .nothing) }
    var answer = CallAnswer(response)
    answer.effects.audits = [
      rights.schemaChange(method, call.caller, call.keyNumber, "container \(container)")
    ]
    return answer
  }
}

extension TidingsV1.SchemaChange {
  init(_ change: SchemaChange) {
    self.init(
      kind: .init(rawValue: change.kind.rawValue),
      subject: change.subject,
      before: change.before,
      after: change.after
    )
  }
}

extension TidingsV1.FieldIndex {
  fileprivate init(_ index: SchemaInfo.Index) {
    self.init(
      recordType: index.recordType,
      fieldName: index.fieldName,
      ordered: index.isOrdered,
      searchable: !index.isOrdered,
      state: index.isReady ? .ready : .building
    )
  }
}
