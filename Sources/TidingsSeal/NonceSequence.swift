internal import CSodium

/// Numbers of which none comes twice, in this process or in another: 16 random bytes that the process
/// begins with, then a count.
///
/// Two processes with the same random bytes would have to meet: among 2^32 processes that is less
/// likely than 2^-64. So nothing about nonces is ever stored.
public struct NonceSequence: ~Copyable {
  /// A number to be used once, 24 bytes.
  public struct Nonce: Sendable {
    /// Length, in bytes.
    public static let byteCount = 24

    fileprivate let start: (UInt64, UInt64)
    fileprivate let count: UInt64

    /// A number from its bytes, which somebody else vouches for.
    package init(bytes: [UInt8]) {
      precondition(bytes.count == Self.byteCount, "a nonce has 24 bytes")
      (start, count) = bytes.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(as: (UInt64, UInt64).self),
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        )
      }
    }

    fileprivate init(start: (UInt64, UInt64), count: UInt64) {
      self.start = start
      self.count = count
    }

    func write(to output: UnsafeMutableRawBufferPointer) {
      output.storeBytes(of: start.0, toByteOffset: 0, as: UInt64.self)
      output.storeBytes(of: start.1, toByteOffset: 8, as: UInt64.self)
      output.storeBytes(of: count.littleEndian, toByteOffset: 16, as: UInt64.self)
    }
  }

  private let start: (UInt64, UInt64)
  private var count: UInt64 = 0

  /// A sequence with random bytes of its own.
  public init() {
    precondition(sodium_init() >= 0, "libsodium cannot be initialized")
    var random: (UInt64, UInt64) = (0, 0)
    randombytes_buf(&random, MemoryLayout.size(ofValue: random))
    start = random
  }

  /// The next number.
  public mutating func next() -> Nonce {
    // 2^64 numbers last for longer than any process; the addition traps before one comes again.
    count += 1
    return Nonce(start: start, count: count)
  }
}
