internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let typeOption = OptionKey<String?>(
    "type",
    value: "TYPE",
    "The type, to create the record if it does not exist."
  )

  static let setRecord = Verb(
    command: Command(
      "records set",
      "Set fields of a record, and keep the others.",
      operands: "NAME FIELD…",
      completion: .live("records"),
      options: [Option](of: typeOption, .zone) + SaveOptions.options(default: "changed-keys"),
      discussion: """
        A FIELD is name=text, name:=JSON (null removes the field), or name@FILE, an asset.

        Examples:
          rpcctl records set h1 city=Berlin price:=450000 sold:=1
          rpcctl records set h1 photo@houses.json note:=null
          rpcctl records set h9 --type Houses 'address=1 Main St' 'built:={"timestamp":"1987-05-01T00:00:00Z"}'
        """
    ),
    run: { invocation in
      let words = try invocation.requireOperands("NAME")
      guard words.count > 1 else {
        throw UsageError(
          "no fields: use NAME followed by name=text, name:=JSON or name@FILE"
        )
      }
      let pairs = try words.dropFirst().map(FieldPair.init)
      if let twice = pairs.indices.first(where: { i in
        pairs[..<i].contains { $0.name == pairs[i].name }
      }) {
        throw UsageError("field '\(pairs[twice].name)' is given more than once")
      }
      let id = TidingsV1.RecordID(words[0], in: try invocation.zoneID)
      let session = try await invocation.connect()
      let stored =
        invocation.arguments[typeOption] != nil
        ? nil : try await invocation.systemFields(of: id, session)
      var fields = JSONObject()
      for pair in pairs {
        fields.append(pair.name, try await invocation.json(pair.content, session))
      }
      let json = JSONValue.omittingNil([
        "recordName": .string(id.recordName),
        "recordType": .string(stored?.recordType ?? invocation.arguments[typeOption] ?? ""),
        "changeTag": stored.map { .string($0.changeTag) }, "fields": .object(fields),
      ])
      var record = try RecordJSON.record(json, id.recordName, zoneID: invocation.zoneID)
      // A share must be saved with its root record.
      record.share = stored?.share
      var request = TidingsV1.ModifyRecordsRequest(recordsToSave: [record])
      try SaveOptions(invocation.arguments, default: "changed-keys").apply(to: &request)
      return try await invocation.modify(request, over: session)
    }
  )
}

extension Invocation {
  /// Returns the type and the change tag of a record that must exist.
  fileprivate func systemFields(
    of id: TidingsV1.RecordID,
    _ session: Session
  ) async throws -> TidingsV1.Record {
    guard let record = try await fetch([id], desiredKeys: [], over: session).first?.storedRecord
    else {
      throw NotFound("record '\(id.recordName)' does not exist: create it with --type TYPE")
    }
    return record
  }

  /// Returns the JSON of a field's value; uploads a file first.
  fileprivate func json(
    _ content: FieldPair.Content,
    _ session: Session
  ) async throws -> JSONValue {
    switch content {
    case .json(let json): return json
    case .file(let path):
      let line = TransferLine(path, output)
      defer { line.end() }
      let transfer = Verb.assetTransfer(session, self)
      return FieldValueJSON().json(try await transfer.upload(fileAt: path) { line.update($0) })
    }
  }
}
