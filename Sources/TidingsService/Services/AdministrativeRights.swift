internal import TidingsAudit
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// The answer to an administrator's call, and what it was about; an empty text is not noted.
typealias AdministrativeAnswer = (answer: CallAnswer, about: String)

/// Who may administer the server and change schemas, and what the audit log keeps of it.
struct AdministrativeRights {
  let engine: Engine
  let callerMode: CallerMode
  let audit: AuditLog

  /// Lets administrators call a method that changes something, and notes what they did.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - calls: Where it is registered.
  ///   - access: What it does to the store.
  ///   - loop: The loop.
  ///   - repeating: Makes of the first answer what a repeated call gets.
  ///   - keeping: Whether its answers are kept for idempotency keys.
  ///   - handler: Its answer, and what is noted.
  func administer(
    _ method: MethodDescriptor,
    _ calls: GroupedCalls,
    _ access: StoreAccess = .write,
    on loop: LoopContext,
    repeating: @escaping Answering.Repetition = { $1 },
    keeping: Answering.Keeping = .whileThereIsRoom,
    handler: @escaping (borrowing StoreCall) throws -> AdministrativeAnswer
  ) {
    let repeated: Answering.Repetition = { [self] call, answer in
      try requireAdministrator(call, method)
      return try repeating(call, answer)
    }
    calls.register(
      method,
      access,
      on: loop,
      repeating: repeated,
      keeping: keeping,
      handler: { [self] call in
        try requireAdministrator(call, method)
        do {
          var (answer, about) = try handler(call)
          if !about.isEmpty {
            answer.effects.audits.append(entry(method, call, isRefused: false, about))
          }
          return .answered(answer)
        } catch let error as ItemError {
          audit.addRefusal(entry(method, call, isRefused: true, error.message))
          throw error
        }
      }
    )
  }

  /// The same for a method whose calls have no other effect than what they write.
  func administer(
    _ method: MethodDescriptor,
    _ calls: GroupedCalls,
    _ access: StoreAccess = .write,
    on loop: LoopContext,
    keeping: Answering.Keeping = .whileThereIsRoom,
    _ handler: @escaping (borrowing StoreCall) throws -> ([UInt8], String)
  ) {
    administer(
      method,
      calls,
      access,
      on: loop,
      keeping: keeping,
      handler: { call in
        let (body, about) = try handler(call)
        return (CallAnswer(body), about)
      }
    )
  }

  /// Refuses a caller who may not administer the server; in development mode everybody may.
  func requireAdministrator(_ call: borrowing StoreCall, _ method: MethodDescriptor) throws {
    try requireAdministrator(call.caller, keyNumber: call.keyNumber, method)
  }

  /// Refuses a caller who may not administer the server; in development mode everybody may.
  func requireAdministrator(
    _ caller: Caller,
    keyNumber: Int64?,
    _ method: MethodDescriptor
  ) throws {
    guard callerMode == .authenticated, try !engine.isAdministrator(caller.user) else { return }
    let error =
      caller.user.isEmpty
      ? ItemError(.notAuthenticated, "the key of this connection has no account, and so no roles")
      : ItemError(.permissionFailure, "\(method.name) needs the role 'admin'")
    audit.addRefusal(
      entry(method, caller, keyNumber: keyNumber, isRefused: true, error.message)
    )
    throw error
  }

  /// Refuses a caller who may not change schemas; in development mode every user may.
  func requireDeveloper(
    _ call: borrowing StoreCall,
    of container: String,
    _ method: MethodDescriptor
  ) throws {
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    guard callerMode == .authenticated,
      try !engine.isDeveloper(call.caller.user, of: container)
    else { return }
    let error = ItemError(
      .permissionFailure,
      "\(method.name) needs the role 'developer', '\(container)/developer' or 'admin': an "
        + "administrator can give it (rpcctl users roles)"
    )
    audit.addRefusal(entry(method, call, isRefused: true, error.message))
    throw error
  }

  /// An entry of the audit log on a change of a schema.
  func schemaChange(
    _ method: MethodDescriptor,
    _ caller: Caller,
    _ keyNumber: Int64?,
    _ about: String
  ) -> AuditEntry {
    var entry = entry(method, caller, keyNumber: keyNumber, isRefused: false, about)
    entry.kind = .schemas
    return entry
  }

  private func entry(
    _ method: MethodDescriptor,
    _ call: borrowing StoreCall,
    isRefused: Bool,
    _ detail: String
  ) -> AuditEntry {
    entry(method, call.caller, keyNumber: call.keyNumber, isRefused: isRefused, detail)
  }

  /// An entry of the audit log on a call.
  func entry(
    _ method: MethodDescriptor,
    _ caller: Caller,
    keyNumber: Int64?,
    isRefused: Bool,
    _ detail: String
  ) -> AuditEntry {
    let key = keyNumber.flatMap { try? engine.holder(ofKey: $0) }
    return AuditEntry(
      method.name,
      user: caller.user,
      publicKey: key?.keyText ?? "",
      isRefused: isRefused,
      detail: detail
    )
  }
}
