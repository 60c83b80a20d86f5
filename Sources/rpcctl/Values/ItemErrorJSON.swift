internal import TidingsJSON
internal import TidingsProto

extension TidingsV1.ItemError {
  /// The name of the code without that of its type, for example `UNKNOWN_ITEM`.
  var name: String { Contract.shortName(code, "ERROR_CODE_") }

  /// The error as JSON.
  var json: JSONValue {
    .omittingNil([
      "code": .integer(code.rawValue), "name": .string(name), "message": .string(message),
      "retryAfter": retryAfter.flatMap { delay in
        JSONTime(seconds: delay.seconds, nanoseconds: delay.nanos).durationText.map { .string($0) }
      },
      "existingSubscriptionId":
        existingSubscriptionID.isEmpty ? nil : .string(existingSubscriptionID),
    ])
  }

  /// The error as text.
  var text: String {
    let existing =
      existingSubscriptionID.isEmpty ? "" : " (the existing one: \(existingSubscriptionID))"
    return message.isEmpty ? name : "\(name): \(message)\(existing)"
  }
}
