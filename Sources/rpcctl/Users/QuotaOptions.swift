internal import CommandLineTools
internal import TidingsProto

/// The options of a user's own quota.
enum QuotaOptions {
  private static let recordsMax = OptionKey<Int?>(
    "records-max",
    value: "COUNT",
    in: 0...Int.max,
    "Quota: records in a container; 0: no bound."
  )
  private static let bytesMax = OptionKey<Int?>(
    "bytes-max",
    value: "BYTES",
    in: 0...Int.max,
    "Quota: bytes of records and assets in a container."
  )
  private static let callsPerSecondMax = OptionKey<Int?>(
    "calls-per-second-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: calls in a second."
  )
  private static let subscriptionsMax = OptionKey<Int?>(
    "subscriptions-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: subscriptions in a container."
  )
  private static let connectionsMax = OptionKey<Int?>(
    "connections-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: connections at a time."
  )

  static let options = [Option](
    of: recordsMax,
    bytesMax,
    callsPerSecondMax,
    subscriptionsMax,
    connectionsMax
  )

  /// The quota that the options say; `nil`: they say none.
  static func quota(_ arguments: ParsedArguments) -> TidingsV1.Quota? {
    guard options.contains(where: arguments.has) else { return nil }
    return TidingsV1.Quota(
      recordsMax: number(recordsMax, arguments),
      bytesMax: number(bytesMax, arguments),
      callsPerSecondMax: number(callsPerSecondMax, arguments),
      subscriptionsMax: number(subscriptionsMax, arguments),
      connectionsMax: number(connectionsMax, arguments)
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
    _ key: OptionKey<Int?>,
    _ arguments: ParsedArguments
  ) -> Number {
    Number(clamping: arguments[key] ?? 0)
  }
}
