internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

/// Who calls: whom the key of the connection stands for, or in development mode whoever the call's
/// metadata says; the device is always the metadata's.
enum CallerIdentity {
  /// Longest name of a user, in bytes.
  static let nameBytesMax = 255
  /// Longest name of a device, in bytes: it stands in all that the device wrote.
  static let deviceBytesMax = 64

  /// The caller of a call; the user is empty when the call names none.
  static func caller(of call: borrowing InlineCall) throws(ItemError) -> Caller {
    let claimed = call.user == nil ? try name(call.claimedUser, Metadata.userKey) : ""
    return Caller(user: call.user ?? claimed, device: try name(call.device, Metadata.deviceKey))
  }

  /// The caller of a call that runs as a task.
  static func caller(of call: ServerCall) throws(ItemError) -> Caller {
    let user = call.metadata[Metadata.userKey]
    let claimed = call.user == nil ? try name(user, Metadata.userKey) : ""
    let device = call.metadata[Metadata.deviceKey]
    return Caller(user: call.user ?? claimed, device: try name(device, Metadata.deviceKey))
  }

  private static func name(_ text: String?, _ key: String) throws(ItemError) -> String {
    guard let text else { return "" }
    let bytesMax = key == Metadata.deviceKey ? deviceBytesMax : nameBytesMax
    guard text.utf8.count <= bytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw ItemError(
        .invalidArguments,
        "the metadata '\(key)' is not valid: use 1 to \(bytesMax) printable ASCII characters "
          + "without spaces"
      )
    }
    return text
  }
}
