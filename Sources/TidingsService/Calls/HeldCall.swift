internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// The calls of one user on one connection, which keep their order.
struct CallLine: Hashable {
  let connection: UInt64
  let caller: CallerKey

  init(_ call: borrowing InlineCall) {
    (connection, caller) = (call.token.connection, call.callerKey)
  }

  /// The line of a call whose caller is known.
  init(_ token: ReplyToken, _ caller: Caller, _ keyNumber: Int64?) {
    connection = token.connection
    if caller.user.isEmpty, let keyNumber {
      self.caller = CallerKey(guestKey: keyNumber)
    } else {
      self.caller = CallerKey(user: caller.user)
    }
  }
}

/// A call that is run after the turn in which it came.
///
/// Every call that writes is held until its group is committed, and almost none is run again: what was received is in
/// one piece of memory, which is only handed on.
struct HeldCall {
  private final class Received {
    let token: ReplyToken
    let caller: Caller
    let keyNumber: Int64?
    let deadline: ContinuousClock.Instant?
    let idempotencyKey: String
    let method: String
    let body: KeptBody
    let access: StoreAccess
    let answering: Answering

    init(
      _ token: ReplyToken,
      _ caller: Caller,
      _ keyNumber: Int64?,
      _ deadline: ContinuousClock.Instant?,
      _ idempotencyKey: String,
      _ method: String,
      _ body: KeptBody,
      _ access: StoreAccess,
      _ answering: Answering
    ) {
      (self.token, self.caller, self.keyNumber) = (token, caller, keyNumber)
      (self.deadline, self.idempotencyKey, self.method) = (deadline, idempotencyKey, method)
      (self.body, self.access, self.answering) = (body, access, answering)
    }
  }

  private let received: Received
  var progress: (any CallProgress)?
  /// Why its writes were rolled back.
  var failure: RPCError?
  /// How often it was run and rolled back.
  var attempts = 0

  /// A call that arrives.
  init(
    _ call: borrowing InlineCall,
    of caller: Caller,
    _ access: StoreAccess,
    _ answering: Answering
  ) {
    received = Received(
      call.token,
      caller,
      call.keyNumber,
      call.deadline,
      String(decoding: call.idempotencyKey, as: UTF8.self),
      call.method.fullName,
      call.keptBody,
      access,
      answering
    )
  }

  /// A call that was begun elsewhere, and goes on reading from the store.
  init(
    _ token: ReplyToken,
    of caller: Caller,
    keyNumber: Int64?,
    deadline: ContinuousClock.Instant?,
    body: KeptBody,
    _ answering: Answering
  ) {
    received = Received(token, caller, keyNumber, deadline, "", "", body, .read, answering)
  }

  /// The call as its next run finds it.
  func goingOn(after postponement: Postponement) -> HeldCall {
    var next = self
    next.progress = postponement.progress ?? progress
    if case .nextTurn = postponement.cause { next.attempts = 0 }
    return next
  }

  var token: ReplyToken { received.token }
  var caller: Caller { received.caller }
  var keyNumber: Int64? { received.keyNumber }
  var deadline: ContinuousClock.Instant? { received.deadline }
  /// The full name of its method; empty for a call that was begun elsewhere.
  var method: String { received.method }
  var body: KeptBody { received.body }
  var access: StoreAccess { received.access }
  var answering: Answering { received.answering }
  var line: CallLine { CallLine(token, caller, keyNumber) }

  /// The call as handlers see it.
  func call(
    _ body: UnsafeRawBufferPointer,
    on loop: LoopContext,
    memory: StoreCall.Memory? = nil
  ) -> StoreCall {
    StoreCall(
      caller: caller,
      keyNumber: keyNumber,
      body: body,
      loop: loop,
      progress: progress,
      memory: memory,
      connection: token.connection,
      observed: loop.observed(token),
      hasKey: hasKey
    )
  }

  private var hasKey: Bool {
    access == .write && answering.keeping != .never && !received.idempotencyKey.isEmpty
  }

  /// What its idempotency key stands for; `nil`: it has none, or one without effect.
  func idempotentCall(_ body: UnsafeRawBufferPointer) -> IdempotentCall? {
    guard hasKey else { return nil }
    return IdempotentCall(
      owner: caller.user,
      key: received.idempotencyKey,
      method: received.method,
      request: body
    )
  }
}
