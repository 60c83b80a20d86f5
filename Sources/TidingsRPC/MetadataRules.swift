/// Checks what header.proto says about metadata, on bytes, so that no string is made.
package enum MetadataRules {
  /// Returns why an entry's key is refused, if it is.
  package static func refusal(ofKey key: UnsafeRawBufferPointer) -> String? {
    if key.isEmpty { return "a metadata key is empty" }
    for byte in key where !isKeyByte(byte) {
      return "a metadata key holds other than lower-case letters, digits, '-', '_' and '.'"
    }
    return nil
  }

  /// Returns the failure of a call whose metadata is too large.
  package static func tooLarge(entries: Int, bytes: Int) -> RPCError? {
    if entries > WireLimits.metadataEntriesMax {
      return RPCError(
        .resourceExhausted,
        "\(entries) metadata entries; at most \(WireLimits.metadataEntriesMax) are allowed"
      )
    }
    if bytes > WireLimits.metadataBytesMax {
      return RPCError(
        .resourceExhausted,
        "\(bytes) bytes of metadata; at most \(WireLimits.metadataBytesMax) are allowed"
      )
    }
    return nil
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
    default: false
    }
  }
}

extension CallOptions {
  /// Returns why a server would refuse these options, so that a client can say it at once.
  package var refusal: RPCError? {
    var bytes = 0
    for (key, value) in metadata.entries {
      let reason = Array(key.utf8).withUnsafeBytes { MetadataRules.refusal(ofKey: $0) }
      if let reason {
        return RPCError(.invalidArgument, reason)
      }
      bytes += key.utf8.count + value.utf8.count
    }
    if let idempotencyKey {
      let range = 1...WireLimits.idempotencyKeyBytesMax
      if !range.contains(idempotencyKey.utf8.count) {
        return RPCError(.invalidArgument, "an idempotency key has 1 to 64 bytes")
      }
    }
    return MetadataRules.tooLarge(entries: metadata.entries.count, bytes: bytes)
  }
}
