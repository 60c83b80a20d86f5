internal import TidingsProto
internal import TidingsRPC

/// Fails unless a condition holds.
func expect(_ condition: Bool, _ failure: @autoclosure () -> String) throws(CaseFailure) {
  if !condition { throw CaseFailure(failure()) }
}

/// Fails unless what came is what was expected.
func expectEqual<Value: Equatable>(
  _ what: String,
  _ expected: Value,
  _ actual: Value
) throws(CaseFailure) {
  try expect(expected == actual, "\(what): expected \(brief(expected)), came \(brief(actual))")
}

/// A value in words of which no reader despairs.
func brief(_ value: some Any) -> String {
  if let bytes = value as? [UInt8] {
    let shown = hexadecimal(bytes.prefix(48))
    return "\(bytes.count) bytes \(shown)\(bytes.count > 48 ? "…" : "")"
  }
  let text = value is String ? "\"\(value)\"" : "\(value)"
  return text.count > 400 ? text.prefix(400) + "…" : text
}

/// Two digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] })
}

extension TidingsConformanceV1.CallResult {
  /// Fails unless the call ended so.
  func expect(_ code: StatusCode) throws(CaseFailure) {
    let came = StatusCode(rawValue: status)
    try ConformanceCore.expect(
      came == code,
      "the status: expected \(code), came \(came)" + (message.isEmpty ? "" : " '\(message)'")
    )
  }

  /// The one response of a call that succeeded.
  func response() throws(CaseFailure) -> [UInt8] {
    try expect(.ok)
    try expectEqual("the number of responses", 1, responses.count)
    return responses[0]
  }
}
