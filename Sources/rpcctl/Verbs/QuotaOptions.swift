internal import CommandLineTools
internal import TidingsProto

/// The options of a user's own quota.
enum QuotaOptions {
  static let options = [
    Option("records-max", value: "COUNT", "Quota: records in a container; 0: no bound."),
    Option("bytes-max", value: "BYTES", "Quota: bytes of records and assets in a container."),
    Option("calls-per-second-max", value: "COUNT", "Quota: calls in a second."),
    Option("subscriptions-max", value: "COUNT", "Quota: subscriptions in a container."),
    Option("connections-max", value: "COUNT", "Quota: connections at a time."),
  ]

  /// The quota that the options say; `nil`: they say none.
  static func quota(_ arguments: ParsedArguments) throws(UsageError) -> TidingsV1.Quota? {
    guard options.contains(where: { arguments[$0.name] != nil }) else { return nil }
    return TidingsV1.Quota(
      recordsMax: try number("records-max", arguments),
      bytesMax: try number("bytes-max", arguments),
      callsPerSecondMax: try number("calls-per-second-max", arguments),
      subscriptionsMax: try number("subscriptions-max", arguments),
      connectionsMax: try number("connections-max", arguments)
    )
  }

  /// A quota for people.
  static func text(_ quota: TidingsV1.Quota) -> String {
    func text(_ number: some BinaryInteger, _ what: String) -> String {
      "\(number == 0 ? "any" : "\(number)") \(what)"
    }
    return [
      text(quota.recordsMax, "records"), text(quota.bytesMax, "bytes"),
      text(quota.callsPerSecondMax, "calls/s"), text(quota.subscriptionsMax, "subscriptions"),
      text(quota.connectionsMax, "connections"),
    ].joined(separator: ", ")
  }

  private static func number<Number: FixedWidthInteger>(
    _ name: String,
    _ arguments: ParsedArguments
  ) throws(UsageError) -> Number {
    guard let text = arguments[name] else { return 0 }
    guard let number = Number(text), number >= 0 else {
      throw UsageError("--\(name) takes a number from 0 to \(Number.max), not '\(text)'")
    }
    return number
  }
}
