internal import TidingsKeys
internal import TidingsZeroMQ

extension Core {
  /// Takes note of what happens to connections before they can call.
  func watchConnections(on loop: LoopContext) {
    loop.onRefusedHandshakes = { [audit] refusals, _ in
      for refusal in refusals {
        var entry = AuditEntry(
          "handshake",
          publicKey: refusal.publicKey?.description ?? "",
          address: refusal.address,
          isRefused: true,
          detail: "the key is not admitted"
        )
        entry.count = UInt64(refusal.count)
        audit.addRefusal(entry)
      }
    }
    var warned: ContinuousClock.Instant?
    loop.onTooManyConnections = { [logger] loop in
      if let warned, warned.duration(to: loop.now) < .seconds(60) { return }
      warned = loop.now
      logger.log(
        .warning,
        "no more connections are taken until others end: raise the limit of open files",
        ["shut": "\(loop.counters.doorsShut)"]
      )
    }
  }
}
