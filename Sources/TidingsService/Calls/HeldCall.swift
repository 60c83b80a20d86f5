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
}

/// A call that is run after the turn in which it came.
struct HeldCall {
  let token: ReplyToken
  let line: CallLine
  let caller: Caller
  let keyNumber: Int64?
  let deadline: ContinuousClock.Instant?
  /// Empty: it has none.
  let idempotencyKey: String
  let method: String
  let body: [UInt8]
  let access: StoreAccess
  let answering: Answering
  var progress: (any CallProgress)?
  /// Why its writes were rolled back.
  var failure: RPCError?
  /// How often it was run and rolled back.
  var attempts = 0
}

extension HeldCall {
  /// A call that arrives.
  init(
    _ call: borrowing InlineCall,
    of caller: Caller,
    _ access: StoreAccess,
    _ answering: Answering
  ) {
    self.init(
      token: call.token,
      line: CallLine(call),
      caller: caller,
      keyNumber: call.keyNumber,
      deadline: call.deadline,
      idempotencyKey: String(decoding: call.idempotencyKey, as: UTF8.self),
      method: call.method.fullName,
      body: Array(call.body),
      access: access,
      answering: answering
    )
  }

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
      connection: token.connection
    )
  }

  /// What its idempotency key stands for; `nil`: it has none.
  func idempotentCall(_ body: UnsafeRawBufferPointer) -> IdempotentCall? {
    guard access == .write, !idempotencyKey.isEmpty else { return nil }
    return IdempotentCall(owner: caller.user, key: idempotencyKey, method: method, request: body)
  }
}
