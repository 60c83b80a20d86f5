internal import Glibc
internal import TidingsProto
package import TidingsRPC
internal import TidingsWire

/// A request's header where it was received; valid until the next message.
///
/// Every call has one, so that it is read in place: no string is made of it on the way to the handler, and nothing of it
/// is kept but addresses. A test compares it with what protobuf-c reads.
package struct RequestHeaderView {
  /// What the client asks for.
  package enum Kind { case call, cancel, credit, unknown }

  private typealias Field = TidingsRpcV1.RequestHeader.FieldNumber

  package private(set) var callID: UInt64 = 0
  package private(set) var kind = Kind.call
  package private(set) var method = Self.nothing
  package private(set) var idempotencyKey = Self.nothing
  package private(set) var timeoutMilliseconds: UInt32 = 0
  package private(set) var credit: UInt32 = 0
  /// The key of the caller, from a node that forwards the call; `nil`: it has none.
  package private(set) var forwardedKey: Int64?
  /// The values of `Metadata.userKey` and `Metadata.deviceKey`.
  package private(set) var user: UnsafeRawBufferPointer?
  package private(set) var device: UnsafeRawBufferPointer?
  private var metadataCount = 0
  private var metadataBytes = 0
  /// There is metadata beside the user and the device, or values that are not ASCII: its rules are looked at.
  private(set) var hasOtherMetadata = false
  /// From the first entry of the metadata on.
  private var metadataRest: LentBytes?

  private static var nothing: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

  /// Reads a header; `nil` when the bytes are none.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard let bytes = LentBytes(bytes) else { return nil }
    do {
      try read(bytes)
    } catch {
      return nil
    }
  }

  private mutating func read(_ bytes: LentBytes) throws(WireError) {
    var wire = WireReader(bytes)
    var rest = wire.rest
    while let (field, value) = try wire.next() {
      switch (field, value) {
      case (Field.callID, .varint(let number)): callID = number
      case (Field.kind, .varint(let number)):
        kind = Self.kind(Int32(truncatingIfNeeded: number))
      case (Field.method, .bytes(let name)): method = name.raw
      case (Field.timeoutMs, .varint(let number)):
        timeoutMilliseconds = UInt32(truncatingIfNeeded: number)
      case (Field.metadata, .bytes(let content)):
        if metadataCount == 0 { metadataRest = rest }
        metadataCount += 1
        note(try Self.entry(content))
      case (Field.idempotencyKey, .bytes(let key)): idempotencyKey = key.raw
      case (Field.credit, .varint(let number)): credit = UInt32(truncatingIfNeeded: number)
      case (Field.forwardedKey, .varint(let number)):
        forwardedKey = number == 0 ? nil : Int64(clamping: number)
      case (Field.callID...Field.forwardedKey, _), (_, .group): throw WireError()
      default: break
      }
      rest = wire.rest
    }
  }

  private static func kind(_ number: Int32) -> Kind {
    switch number {
    case 0, 1: .call
    case 2: .cancel
    case 3: .credit
    default: .unknown
    }
  }

  // MARK: Metadata

  private typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

  private static func entry(_ content: LentBytes) throws(WireError) -> Entry {
    var entry = Entry(Self.nothing, Self.nothing)
    var wire = WireReader(content)
    while let (field, value) = try wire.next() {
      switch (field, value) {
      case (1, .bytes(let key)): entry.key = key.raw
      case (2, .bytes(let value)): entry.value = value.raw
      case (1...2, _), (_, .group): throw WireError()
      default: break
      }
    }
    return entry
  }

  /// Nearly all calls name a user and a device and nothing else.
  private mutating func note(_ entry: Entry) {
    metadataBytes += entry.key.count + entry.value.count
    if entry.key.hasBytes(of: Metadata.userKey) {
      user = entry.value
    } else if entry.key.hasBytes(of: Metadata.deviceKey) {
      device = entry.value
    } else {
      hasOtherMetadata = true
      return
    }
    if !entry.value.isASCII { hasOtherMetadata = true }
  }

  /// Passes the entries to a closure, in their order, until it returns `false`.
  private func forEachEntry(_ body: (Entry) -> Bool) {
    guard let metadataRest else { return }
    var wire = WireReader(metadataRest)
    var left = metadataCount
    // All of it was read before.
    while left > 0, let (field, value) = try? wire.next() {
      guard field == Field.metadata, case .bytes(let content) = value,
        let entry = try? Self.entry(content)
      else { continue }
      left -= 1
      guard body(entry) else { return }
    }
  }

  /// Returns the value of a metadata key; of several, the last, as in any protobuf map.
  package func metadata(_ key: String) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    forEachEntry { entry in
      if entry.key.hasBytes(of: key) { found = entry.value }
      return true
    }
    return found
  }

  /// Returns the metadata as strings, for handlers that run as tasks.
  package func makeMetadata() -> Metadata {
    var metadata = Metadata()
    forEachEntry { entry in
      metadata[String(decoding: entry.key, as: UTF8.self)] =
        String(decoding: entry.value, as: UTF8.self)
      return true
    }
    return metadata
  }

  // MARK: Rules

  /// Returns why the call is refused, when it breaks a rule of header.proto.
  func refusal() -> RPCError? {
    if method.count > WireLimits.methodBytesMax {
      return RPCError(.invalidArgument, "the method's name has \(method.count) bytes; at most 255")
    }
    if idempotencyKey.count > WireLimits.idempotencyKeyBytesMax {
      return RPCError(.invalidArgument, "an idempotency key has 1 to 64 bytes")
    }
    if !idempotencyKey.isEmpty, !Self.isUTF8(idempotencyKey) {
      return RPCError(.invalidArgument, "the idempotency key is not UTF-8")
    }
    guard hasOtherMetadata else {
      return MetadataRules.tooLarge(entries: metadataCount, bytes: metadataBytes)
    }
    return metadataRefusal()
  }

  private func metadataRefusal() -> RPCError? {
    var refusal: RPCError?
    forEachEntry { entry in
      if let reason = MetadataRules.refusal(ofKey: entry.key) {
        refusal = RPCError(.invalidArgument, reason)
      } else if !Self.isUTF8(entry.value) {
        refusal = RPCError(.invalidArgument, "a metadata value is not UTF-8")
      }
      return refusal == nil
    }
    return refusal ?? MetadataRules.tooLarge(entries: metadataCount, bytes: metadataBytes)
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.isASCII || String(validating: bytes, as: UTF8.self) != nil
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var isASCII: Bool { allSatisfy { $0 < 0x80 } }

  /// Whether a text consists of these bytes.
  func hasBytes(of text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    var text = text
    return text.withUTF8 { other in
      guard let a = baseAddress, let b = other.baseAddress else { return isEmpty }
      return memcmp(a, b, count) == 0
    }
  }
}
