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
    let claim = call.user == nil ? call.metadata(Metadata.userKey) : nil
    let claimed = try name(claim, Metadata.userKey)
    return Caller(
      user: call.user ?? claimed,
      device: try name(call.metadata(Metadata.deviceKey), Metadata.deviceKey)
    )
  }

  /// The caller of a call that runs as a task.
  static func caller(of call: ServerCall) throws(ItemError) -> Caller {
    func name(_ key: String) throws(ItemError) -> String {
      guard var text = call.metadata[key] else { return "" }
      var result: Result<String, ItemError> = .success("")
      text.withUTF8 { bytes in
        result = Result { () throws(ItemError) in
          try Self.name(UnsafeRawBufferPointer(bytes), key)
        }
      }
      return try result.get()
    }
    let claimed = call.user == nil ? try name(Metadata.userKey) : ""
    return Caller(user: call.user ?? claimed, device: try name(Metadata.deviceKey))
  }

  private static func name(
    _ bytes: UnsafeRawBufferPointer?,
    _ key: String
  ) throws(ItemError)
    -> String
  {
    guard let bytes else { return "" }
    let isPrintable = bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    let bytesMax = key == Metadata.deviceKey ? deviceBytesMax : nameBytesMax
    guard bytes.count <= bytesMax, isPrintable else {
      throw ItemError(
        .invalidArguments,
        "the metadata '\(key)' is not valid: use 1 to \(bytesMax) printable ASCII characters "
          + "without spaces"
      )
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
