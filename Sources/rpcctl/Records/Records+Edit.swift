internal import CommandLineTools
internal import TidingsProto

extension Verb {
  private static let editor = OptionKey<String?>(
    "editor",
    value: "COMMAND",
    "The editor; without it what VISUAL or EDITOR says, else vi."
  )

  static let editRecord = Verb(
    command: Command(
      "records edit",
      "Opens a record in the editor, and saves what was changed.",
      operands: "NAME",
      completion: .live("records"),
      options: [Option](of: .zone, editor),
      discussion: """
        Only the fields that were changed are sent, with the change tag: what others saved meanwhile is
        never overwritten. Then both versions are shown, and the edited text stays in a file, which
        `records put FILE --save-policy changed-keys` writes over them, with all fields in it.

        Examples:
          rpcctl records edit h1
          rpcctl records edit h1 --editor 'code --wait'
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      guard names.count == 1 else { throw UsageError("one NAME: '\(names[1])' is one too many") }
      let editor = try invocation.editor(try invocation.arguments.nonEmpty(editor))
      let session = try await invocation.connect()
      let id = TidingsV1.RecordID(names[0], in: try invocation.zoneID)
      guard let stored = try await invocation.fetch([id], over: session).first?.storedRecord else {
        throw NotFound("there is no record '\(names[0])'; `rpcctl records template` begins one")
      }
      let draft = try RecordDraft(RecordJSON.json(stored))
      do {
        try await editor.edit(draft.path)
        guard let change = try draft.change(zoneID: try invocation.zoneID) else {
          draft.discard()
          invocation.output.tell("nothing was changed")
          return .success
        }
        let exitCode = try await invocation.modify(.init(recordsToSave: [change]), over: session)
        if exitCode == .success { draft.discard() } else { draft.keep(invocation.output) }
        return exitCode
      } catch {
        // Whatever went wrong: the text is somebody's work.
        draft.keep(invocation.output)
        throw error
      }
    }
  )
}
