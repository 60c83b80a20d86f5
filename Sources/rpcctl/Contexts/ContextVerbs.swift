internal import CommandLineTools
internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What is done with contexts: servers that a user knows by a name.
extension Verb {
  static let contextVerbs = [
    addContext, listContexts, useContext, currentContext, showContext, editContext, copyContext,
    removeContexts, testContext,
  ]

  private static let description = OptionKey<String?>(
    "description",
    value: "TEXT",
    "What the context is for."
  )
  private static let useOption = OptionKey<Bool>(flag: "use", "It becomes the current context.")
  private static let replace = OptionKey<Bool>(
    flag: "replace",
    "A context of this name is replaced."
  )

  private static let addContext = Verb(
    command: Command(
      "context add",
      "Makes a context of the options on the command line.",
      operands: "NAME",
      options: [Option](of: description, useOption, replace),
      discussion: """
        A context is a file NAME.conf of lines `name = value` in `tidings/contexts` of $XDG_CONFIG_HOME
        or ~/.config. It holds where keys are, never keys. The first one becomes the current context.
        An option on the command line wins over the environment (RPCCTL_NAME), and that over the
        context.

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
          "there is a context '\(name)': rpcctl context edit changes it, and --replace replaces it"
        )
      }
      var values: [String: String] = [:]
      for option in SavedContext.options where arguments.isGiven(option) {
        let value = arguments.text(of: option) ?? ""
        values[option.name] = value.isEmpty ? "true" : try storedValue(value, of: option.name)
      }
      values["description"] = arguments[description].map(oneLine)
      if invocation.wouldOnly("write the context '\(name)'") { return .success }
      try folder.write(SavedContext.text(name, values), as: name)
      let selection = try folder.selection
      if arguments[useOption] || selection.current == nil { try use(name, folder) }
      return try show(name, invocation)
    }
  )

  private static let listContexts = Verb(
    command: Command(
      "context list",
      "Lists the contexts; the current one is marked.",
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
      "Makes a context the current one; `-` is the one before.",
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
          throw NotFound("there is no previous context")
        }
        name = previous
      }
      _ = try invocation.context(name)
      if invocation.wouldOnly("use the context '\(name)'") { return .success }
      try use(name, folder)
      invocation.output.tell("the current context is '\(name)'")
      return .success
    }
  )

  private static let currentContext = Verb(
    command: Command(
      "context current",
      "Prints the name of the current context.",
      discussion: """
        Ends with 1 when there is none. --context and RPCCTL_CONTEXT count too.

        Example:
          rpcctl context current
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      guard let name = try invocation.contexts.chosen(invocation.arguments)?.name else {
        throw NotFound("there is no current context: rpcctl context use chooses one")
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
      "Shows a context, the current one unless another is named.",
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
      "Lets you edit a context, in $VISUAL, $EDITOR or vi.",
      operands: "[NAME]",
      completion: .live("contexts"),
      discussion: """
        What is wrong in it is told, and nothing is changed then. The text is kept: edit again to go on
        with it.

        Example:
          rpcctl context edit home
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .refused("it is you who says what changes"),
    run: { invocation in
      let name = try invocation.namedContext()
      let folder = invocation.contexts
      guard !invocation.arguments[.noInput] else {
        throw UsageError("context edit needs somebody who edits: --no-input was given")
      }
      let old = try folder.text(name)
      let editor = try invocation.editor()
      let draft = try folder.makeDraft(of: name)
      if draft.isOld { invocation.output.tell("goes on with the text kept in \(draft.path)") }
      do {
        try await editor.edit(draft.path)
        let new = try ContextFolder.text(at: draft.path)
        try SavedContext.check(new, name)
        if new == old {
          invocation.output.tell("nothing was changed")
        } else {
          try folder.write(new, as: name)
        }
        try? Folder.remove(draft.path)
        return .success
      } catch {
        if let edited = try? ContextFolder.text(at: draft.path), edited != old {
          invocation.output.tell("rpcctl: the edited text is kept in \(draft.path)")
          invocation.output.hint("`rpcctl context edit \(name)` goes on with it.")
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
      "Copies a context.",
      operands: "NAME NEW",
      completion: .live("contexts"),
      options: [Option](of: replace.described("A context of the new name is replaced.")),
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
      guard names.count == 2 else { throw UsageError("two names are needed: NAME NEW") }
      let folder = invocation.contexts
      let context = try invocation.context(names[0])
      if try folder.has(names[1]), !invocation.arguments[replace] {
        throw UsageError("there is a context '\(names[1])': --replace replaces it")
      }
      if invocation.wouldOnly("write the context '\(names[1])'") { return .success }
      let values = Dictionary(uniqueKeysWithValues: context.lines.map { ($0.name, $0.value) })
      try folder.write(SavedContext.text(names[1], values), as: names[1])
      return try show(names[1], invocation)
    }
  )

  private static let removeContexts = Verb(
    command: Command(
      "context remove",
      "Removes contexts; servers and keys stay as they are.",
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
      if invocation.wouldOnly("remove \(list)") { return .success }
      for name in names { try invocation.contexts.remove(name) }
      return .success
    }
  )

  private static let testContext = Verb(
    command: Command(
      "context test",
      "Connects with a context, the current one unless another is named.",
      operands: "[NAME]",
      completion: .live("contexts"),
      discussion: """
        Tells whether the server is reached, whether it serves, and who is calling. What cannot be
        reached ends as any call does: with 78 when nobody is there.

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
          "endpoint": .string(settings.client.endpoint), "health": .string(health),
          "userName": user.isEmpty ? nil : .string(user), "milliseconds": .double(milliseconds),
        ]),
        [settings.client.endpoint, health, user, "\(milliseconds)"]
      )
      _ = results.finish(invocation.output)
      return status == .serving ? .success : .localFailure
    }
  )

  /// A value as it can be used from any folder.
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
  /// Refuses a text that is no context.
  static func check(_ text: String, _ name: String) throws {
    let settings = try ConfigurationFile.parse(text, of: "\(name).conf", allowing: names)
    let options = Settings.options
    _ = try ParsedArguments([], options: options, prefix: "", settings: settings)
  }
}

extension Invocation {
  /// The contexts of the user.
  var contexts: ContextFolder { ContextFolder(program.environment) }

  /// A context that the command line names.
  func context(_ name: String) throws -> SavedContext { try contexts.read(name) }

  fileprivate func requireContextName() throws(UsageError) -> String {
    let names = try requireOperands("context")
    guard names.count == 1 else { throw UsageError("'\(names[1])' is not expected here") }
    return names[0]
  }

  /// The context that is named, or the one that counts.
  fileprivate func namedContext() throws -> String {
    if !arguments.operands.isEmpty { return try requireContextName() }
    guard let context = try contexts.chosen(arguments) else {
      throw NotFound("which context? There is no current one")
    }
    return context.name
  }
}
