internal import CommandLineTools
internal import Glibc
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto

/// The verbs of contexts: saved connections.
extension Verb {
  static let contextVerbs = [
    addContext, listContexts, useContext, currentContext, showContext, editContext, copyContext,
    removeContexts, testContext,
  ]

  private static let description = OptionKey<String?>(
    "description",
    value: "TEXT",
    mayBeEmpty: true,
    "A description of the context."
  )
  private static let useOption = OptionKey<Bool>(flag: "use", "Make it the current context.")
  private static let replace = OptionKey<Bool>(
    flag: "replace",
    "Replace an existing context of this name."
  )

  private static let addContext = Verb(
    command: Command(
      "context add",
      "Save the options of the command line as a context.",
      operands: "NAME",
      options: [Option](of: description, useOption, replace),
      discussion: """
        A context is a file NAME.conf with lines `name = value` in `tidings/contexts` of
        $XDG_CONFIG_HOME or ~/.config. It contains paths of keys, never keys. The first context becomes
        the current one. Options on the command line override the environment (RPCCTL_NAME), which
        overrides the context.

        Examples:
          rpcctl context add work --endpoint tcp://127.0.0.1:5570 --as ada --device laptop
          rpcctl context add lab --key-file ada.key --server-key server.pub --use
          rpcctl --context home --environment production fetch-zones
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .byItself,
    run: { invocation in
      let name = try invocation.requireContextName()
      let folder = invocation.contexts
      let arguments = invocation.arguments
      if try folder.has(name), !arguments[replace] {
        throw UsageError(
          "context '\(name)' exists: change it with rpcctl context edit, or use --replace"
        )
      }
      var values: [String: String] = [:]
      for option in SavedContext.options where arguments.isGiven(option) {
        let value = arguments.text(of: option) ?? ""
        values[option.name] = value.isEmpty ? "true" : try storedValue(value, of: option.name)
      }
      values["description"] = arguments[description].map(oneLine)
      if invocation.previews("write the context '\(name)'") { return .success }
      try folder.write(SavedContext.text(name, values), as: name)
      let selection = try folder.selection
      if arguments[useOption] || selection.current == nil { try use(name, folder) }
      return try show(name, invocation)
    }
  )

  private static let listContexts = Verb(
    command: Command(
      "context list",
      "List the contexts; the current one is marked.",
      discussion: """
        Example:
          rpcctl context list -o table
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      let folder = invocation.contexts
      let current = try folder.selection.current
      var results = Results(columns: [
        "", "CONTEXT", "ENDPOINT", "CONTAINER", "USER", "DESCRIPTION",
      ])
      for name in try folder.names {
        do {
          let context = try folder.read(name)
          results.append(
            json(context, isCurrent: name == current),
            [
              name == current ? "*" : "", name, context["endpoint"], context["container"],
              context["as"], context["description"],
            ]
          )
        } catch {
          let failure: JSONObject = ["name": .string("USAGE"), "message": .string("\(error)")]
          results.appendFailure(
            .object(["name": .string(name), "error": .object(failure)]),
            [name == current ? "*" : "", name, "", "", "", "\(error)"]
          )
        }
      }
      return results.finish(invocation.output)
    }
  )

  private static let useContext = Verb(
    command: Command(
      "context use",
      "Set the current context; `-` is the previous one.",
      operands: "NAME|-",
      completion: .live("contexts"),
      discussion: """
        Examples:
          rpcctl context use home
          rpcctl context use -
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .byItself,
    run: { invocation in
      let folder = invocation.contexts
      var name = try invocation.requireContextName()
      if name == "-" {
        guard let previous = try folder.selection.previous else {
          throw NotFound("no previous context")
        }
        name = previous
      }
      _ = try invocation.context(name)
      if invocation.previews("use the context '\(name)'") { return .success }
      try use(name, folder)
      invocation.output.log("the current context is now '\(name)'")
      return .success
    }
  )

  private static let currentContext = Verb(
    command: Command(
      "context current",
      "Print the name of the current context.",
      discussion: """
        Exits with 1 if there is none. --context and RPCCTL_CONTEXT apply too.

        Example:
          rpcctl context current
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      guard let name = try invocation.contexts.chosen(invocation.arguments)?.name else {
        throw NotFound("no current context: set it with rpcctl context use")
      }
      if invocation.output.format == .table {
        invocation.output.write(text: "\(name)\n")
      } else {
        invocation.output.write(.object(["name": .string(name)]))
      }
      return .success
    }
  )

  private static let showContext = Verb(
    command: Command(
      "context show",
      "Show a context (default: the current one).",
      operands: "[NAME]",
      completion: .live("contexts"),
      discussion: """
        Example:
          rpcctl context show home
        """
    ),
    needsServer: false,
    context: .none,
    run: { try show(try $0.namedContext(), $0) }
  )

  private static let editContext = Verb(
    command: Command(
      "context edit",
      "Edit a context in $VISUAL, $EDITOR or vi.",
      operands: "[NAME]",
      completion: .live("contexts"),
      discussion: """
        An invalid context is rejected with a message and left unchanged. The edited text is kept: run the
        command again to continue.

        Example:
          rpcctl context edit home
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .refused("it opens an editor"),
    run: { invocation in
      let name = try invocation.namedContext()
      let folder = invocation.contexts
      guard !invocation.arguments[.noInput] else {
        throw UsageError("context edit cannot be combined with --no-input")
      }
      let old = try folder.text(name)
      let editor = try invocation.editor()
      let draft = try folder.makeDraft(of: name)
      if draft.isOld { invocation.output.log("resuming with the text in \(draft.path)") }
      do {
        try await editor.edit(draft.path)
        let new = try ContextFolder.text(at: draft.path)
        try SavedContext.check(new, name)
        if new == old {
          invocation.output.log("no changes")
        } else {
          try folder.write(new, as: name)
        }
        try? Folder.remove(draft.path)
        return .success
      } catch {
        if let edited = try? ContextFolder.text(at: draft.path), edited != old {
          invocation.output.log("rpcctl: the edited text is kept in \(draft.path)")
          invocation.output.hint("Run `rpcctl context edit \(name)` to continue.")
        } else {
          try? Folder.remove(draft.path)
        }
        throw error
      }
    }
  )

  private static let copyContext = Verb(
    command: Command(
      "context copy",
      "Copy a context.",
      operands: "NAME NEW",
      completion: .live("contexts"),
      options: [Option](of: replace.described("Replace an existing context of the new name.")),
      discussion: """
        Example:
          rpcctl context copy home spare
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .byItself,
    run: { invocation in
      let names = invocation.arguments.operands
      guard names.count == 2 else { throw UsageError("expected two names: NAME NEW") }
      let folder = invocation.contexts
      let context = try invocation.context(names[0])
      if try folder.has(names[1]), !invocation.arguments[replace] {
        throw UsageError("context '\(names[1])' exists: use --replace")
      }
      if invocation.previews("write the context '\(names[1])'") { return .success }
      let values = Dictionary(uniqueKeysWithValues: context.lines.map { ($0.name, $0.value) })
      try folder.write(SavedContext.text(names[1], values), as: names[1])
      return try show(names[1], invocation)
    }
  )

  private static let removeContexts = Verb(
    command: Command(
      "context remove",
      "Remove contexts; servers and keys are not affected.",
      operands: "NAME…",
      completion: .live("contexts"),
      discussion: """
        Example:
          rpcctl context remove old --yes
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .byItself,
    run: { invocation in
      let names = try invocation.requireOperands("context")
      for name in names { _ = try invocation.context(name) }
      let list = names.joined(separator: ", ")
      try invocation.confirm("remove the \(names.count == 1 ? "context" : "contexts") \(list)")
      if invocation.previews("remove \(list)") { return .success }
      for name in names { try invocation.contexts.remove(name) }
      return .success
    }
  )

  private static let testContext = Verb(
    command: Command(
      "context test",
      "Test the connection of a context (default: the current one).",
      operands: "[NAME]",
      completion: .live("contexts"),
      discussion: """
        Shows whether the server is reachable and serving, and who the caller is. Exits with 78 if the
        server is unreachable, like any call.

        Example:
          rpcctl context test home
        """
    ),
    context: .operand,
    run: { invocation in
      let transport = try await invocation.connect().transport
      let begin = ContinuousClock.now
      let status = try await TidingsRpcV1.HealthService.Client(transport)
        .check(.init(), options: invocation.callOptions).status
      let time = ContinuousClock.now - begin
      let settings = invocation.settings
      var user = settings.client.user
      if settings.client.keys != nil {
        user = try await TidingsV1.AccountService.Client(transport)
          .fetchUserRecordID(
            .init(container: settings.container),
            options: invocation.callOptions
          ).userRecordName
      }
      let health = Contract.shortName(status, "SERVING_STATUS_")
      var results = Results(columns: ["ENDPOINT", "HEALTH", "USER", "MILLISECONDS"])
      let milliseconds = (time / .microseconds(1)).rounded() / 1000
      results.append(
        .omittingNil([
          "endpoint": .string(settings.endpointsText), "health": .string(health),
          "userName": user.isEmpty ? nil : .string(user), "milliseconds": .double(milliseconds),
        ]),
        [settings.endpointsText, health, user, "\(milliseconds)"]
      )
      _ = results.finish(invocation.output)
      return status == .serving ? .success : .localFailure
    }
  )

  /// Returns a value with absolute paths.
  private static func storedValue(_ value: String, of option: String) throws -> String {
    let isPath = ["key-file", "server-key", "key-ring"].contains(option)
    guard isPath, !value.hasPrefix("/"), PublicKey(z85: value) == nil else { return oneLine(value) }
    guard let folder = getcwd(nil, 0) else { return oneLine(value) }
    defer { free(folder) }
    return oneLine(String(cString: folder) + "/" + value)
  }

  private static func oneLine(_ text: String) -> String {
    text.split { $0.isNewline }.joined(separator: " ")
  }

  private static func use(_ name: String, _ folder: ContextFolder) throws {
    var selection = try folder.selection
    if selection.current != name {
      selection.previous = selection.current ?? selection.previous
      selection.current = name
    }
    try folder.select(selection)
  }

  private static func json(_ context: SavedContext, isCurrent: Bool) -> JSONValue {
    var object: JSONObject = ["name": .string(context.name), "current": .bool(isCurrent)]
    for (name, value) in context.lines { object.append(name, .string(value)) }
    return .object(object)
  }

  private static func show(_ name: String, _ invocation: Invocation) throws -> ExitCode {
    let context = try invocation.context(name)
    guard invocation.output.format == .table else {
      let current = try invocation.contexts.selection.current
      invocation.output.write(json(context, isCurrent: name == current))
      return .success
    }
    var table = Table(["NAME", "VALUE"])
    table.append(["context", name])
    for (name, value) in context.lines { table.append([name, value]) }
    invocation.output.write(table)
    return .success
  }
}

extension SavedContext {
  /// Throws if the text is not a valid context.
  static func check(_ text: String, _ name: String) throws {
    let settings = try ConfigurationFile.parse(text, of: "\(name).conf", allowing: names)
    let options = Settings.options
    _ = try ParsedArguments([], options: options, prefix: "", settings: settings)
  }
}

extension Invocation {
  /// The contexts of the user.
  var contexts: ContextFolder { ContextFolder(program.environment) }

  /// Returns the context that the command line names.
  func context(_ name: String) throws -> SavedContext { try contexts.read(name) }

  fileprivate func requireContextName() throws(UsageError) -> String {
    let names = try requireOperands("context")
    guard names.count == 1 else { throw UsageError("unexpected operand '\(names[1])'") }
    return names[0]
  }

  /// Returns the named context, or the current one.
  fileprivate func namedContext() throws -> String {
    if !arguments.operands.isEmpty { return try requireContextName() }
    guard let context = try contexts.chosen(arguments) else {
      throw NotFound("no context: name one, or set the current one with rpcctl context use")
    }
    return context.name
  }
}
