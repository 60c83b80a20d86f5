internal import CommandLineTools
internal import TidingsProto

extension Verb {
  private static let editor = OptionKey<String?>(
    "editor",
    value: "COMMAND",
    "The editor (default: $VISUAL, $EDITOR, or vi)."
  )

  static let editRecord = Verb(
    command: Command(
      "records edit",
      "Edit a record in an editor, and save the changes.",
      operands: "NAME",
      completion: .live("records"),
      options: [Option](of: .zone, editor),
      discussion: """
        Sends only the changed fields, with the change tag, so that it never overwrites others' changes.
        After a conflict it shows both versions, and keeps the edited text in a file, which `records put
        FILE --save-policy changed-keys` saves over them, with all its fields.

        Examples:
          rpcctl records edit h1
          rpcctl records edit h1 --editor 'code --wait'
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      guard names.count == 1 else {
        throw UsageError("expected one NAME: unexpected operand '\(names[1])'")
      }
      let editor = try invocation.editor(invocation.arguments[editor])
      let session = try await invocation.connect()
      let id = TidingsV1.RecordID(names[0], in: try invocation.zoneID)
      guard let stored = try await invocation.fetch([id], over: session).first?.storedRecord else {
        throw NotFound(
          "record '\(names[0])' does not exist: create one with `rpcctl records template`"
        )
      }
      let draft = try RecordDraft(RecordJSON.json(stored))
      do {
        try await editor.edit(draft.path)
        guard let change = try draft.change(zoneID: try invocation.zoneID) else {
          draft.discard()
          invocation.output.log("no changes")
          return .success
        }
        let exitCode = try await invocation.modify(.init(recordsToSave: [change]), over: session)
        if exitCode == .success { draft.discard() } else { draft.keep(invocation.output) }
        return exitCode
      } catch {
        // After any error: keep the user's text.
        draft.keep(invocation.output)
        throw error
      }
    }
  )
}
