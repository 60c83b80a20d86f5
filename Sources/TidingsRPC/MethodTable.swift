internal import Glibc

/// Finds what belongs to a method by the bytes of its name, without making a string.
///
/// Filled at start and only read afterwards. The names are the server's own, so that a caller
/// cannot lengthen a chain.
public struct MethodTable<Value> {
  @usableFromInline
  struct Slot {
    @usableFromInline let hash: UInt64
    @usableFromInline let name: [UInt8]
    @usableFromInline let value: Value
  }

  @usableFromInline var slots: [Slot?]
  private var services: Set<String> = []
  /// How many methods are known.
  public private(set) var count = 0

  /// A table without methods.
  public init() { slots = Array(repeating: nil, count: 64) }

  /// Adds a method; a second registration of a name replaces the first.
  public mutating func insert(_ method: MethodDescriptor, _ value: Value) {
    if count * 2 >= slots.count { grow() }
    services.insert(method.service)
    let name = Array(method.fullName.utf8)
    position(Slot(hash: name.withUnsafeBytes(Self.hash), name: name, value: value))
  }

  /// Returns what was registered under a name such as `tidings.v1.RecordService/ModifyRecords`.
  @inlinable
  public func lookup(_ name: UnsafeRawBufferPointer) -> Value? {
    let hash = Self.hash(name)
    var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while let other = slots[index]?.hash {
      if other == hash, slots[index]?.name.hasBytes(of: name) == true { return slots[index]?.value }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Returns how a call of an unknown name is answered; distinguishes a missing service from a missing
  /// method.
  public func refusal(of name: UnsafeRawBufferPointer) -> RPCError {
    guard let text = String(validating: name, as: UTF8.self) else {
      return RPCError(.invalidArgument, "the method's name is not UTF-8")
    }
    guard let slash = text.lastIndex(of: "/"), slash != text.startIndex else {
      return RPCError(
        .invalidArgument,
        "the method's name is not of the form package.Service/Method"
      )
    }
    let service = String(text[..<slash])
    return services.contains(service)
      ? .unimplemented(method: text) : .unimplemented(service: service)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    count = 0
    for case let slot? in old { position(slot) }
  }

  private mutating func position(_ slot: Slot) {
    var index = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
    while let other = slots[index] {
      if other.hash == slot.hash, other.name == slot.name {
        slots[index] = slot
        return
      }
      index = (index + 1) & (slots.count - 1)
    }
    slots[index] = slot
    count += 1
  }

  /// Eight bytes at a time, because names are about forty bytes long.
  @usableFromInline
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count) &+ 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(hash ^ tail)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let (high, low) = value.multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return high ^ low
  }
}

extension MethodTable: Sendable where Value: Sendable {}
extension MethodTable.Slot: Sendable where Value: Sendable {}

extension [UInt8] {
  @usableFromInline
  func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      guard let a = own.baseAddress, let b = other.baseAddress else { return isEmpty }
      return memcmp(a, b, count) == 0
    }
  }
}
