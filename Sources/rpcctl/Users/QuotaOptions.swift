internal import CommandLineTools
internal import TidingsProto

/// The options of a user's quota.
enum QuotaOptions {
  private static let recordsMax = OptionKey<Int?>(
    "records-max",
    value: "COUNT",
    in: 0...Int.max,
    "Quota: records per container; 0: unlimited."
  )
  private static let bytesMax = OptionKey<Int?>(
    "bytes-max",
    value: "BYTES",
    in: 0...Int.max,
    "Quota: bytes of records and assets per container."
  )
  private static let callsPerSecondMax = OptionKey<Int?>(
    "calls-per-second-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: calls per second."
  )
  private static let subscriptionsMax = OptionKey<Int?>(
    "subscriptions-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: subscriptions per container."
  )
  private static let connectionsMax = OptionKey<Int?>(
    "connections-max",
    value: "COUNT",
    in: 0...Int(UInt32.max),
    "Quota: concurrent connections."
  )

  static let options = [Option](
    of: recordsMax,
    bytesMax,
    callsPerSecondMax,
    subscriptionsMax,
    connectionsMax
  )

  /// Returns the quota of the options; `nil`: none is given.
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

  /// Returns a quota as text.
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
