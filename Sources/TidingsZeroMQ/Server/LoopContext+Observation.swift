internal import TidingsMetrics
internal import TidingsRPC

extension LoopContext {
  /// The next answers leave together, and end their calls at the same time: one look at the clock is enough.
  ///
  /// - Returns: That time, in nanoseconds of the monotonic clock.
  public func answersBegin() -> Int64 {
    answeringTime = monotonicNanoseconds()
    return answeringTime
  }

  /// The answers have left.
  public func answersEnded() { answeringTime = 0 }

  /// A call that is followed; `nil`: it is not.
  public func observed(_ token: ReplyToken) -> ObservedCall? {
    token.mark.observed == 0 ? nil : observation.calls[token.mark.observed]
  }

  /// A call has its answer.
  func callEnded(_ mark: CallMark, _ code: StatusCode) {
    let now = answeringTime == 0 ? monotonicNanoseconds() : answeringTime
    let duration = mark.started == 0 ? 0 : UInt64(max(0, now &- mark.started))
    callMetrics.note(mark.method, code, nanoseconds: duration)
    if mark.observed != 0 || duration > observation.slowMin { report(mark, code, duration) }
  }

  private func report(_ mark: CallMark, _ code: StatusCode, _ duration: UInt64) {
    let call: ObservedCall
    if let known = observation.calls.removeValue(forKey: mark.observed) {
      call = known
    } else if let method = callMetrics.method(mark.method) {
      call = ObservedCall(method, started: mark.started)
    } else {
      return
    }
    observation.summarizing?.summarize(call)
    observation.ended?(call, code, duration, self)
  }

  /// Nobody waits for a call's answer.
  func forget(_ mark: CallMark) {
    if mark.observed != 0 { observation.calls[mark.observed] = nil }
  }

  /// Begins to follow a call, if anybody wants that.
  func observe(_ header: RequestHeaderView, _ route: Route, _ mark: CallMark, bytes: Int) -> UInt32
  {
    guard observation.observesAll || (observation.observesMarked && header.hasOtherMetadata) else {
      return 0
    }
    let requestID = header.metadata(Metadata.requestIDKey).flatMap(RequestIdentifier.init)
    let traceParent = header.metadata(Metadata.traceParentKey).flatMap(RequestIdentifier.init)
    guard observation.observesAll || requestID != nil || traceParent != nil else { return 0 }
    let call = ObservedCall(
      route.method,
      requestID: requestID?.text ?? "",
      traceParent: traceParent?.text ?? "",
      started: mark.started
    )
    call.touched.requestBytes = bytes
    let number = observation.add(call)
    if number != 0 { observation.began?(call) }
    return number
  }
}

/// What a client calls something in a log: 1 to 128 visible ASCII characters; anything else is ignored.
struct RequestIdentifier {
  static let bytesMax = 128
  let text: String

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard 1...Self.bytesMax ~= bytes.count, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      return nil
    }
    text = String(decoding: bytes, as: UTF8.self)
  }
}
