internal import Glibc

/// Takes the secret of a store out of bytes that were copied from its file.
package struct SecretEraser: Sendable {
  private let secret: [UInt8]

  init(_ secret: [UInt8]) {
    precondition(!secret.isEmpty, "a store without a secret")
    self.secret = secret
  }

  /// Replaces the secret by zeros, wherever it occurs.
  ///
  /// - Parameter bytes: What was copied.
  /// - Returns: Where it was, as offsets of its first byte.
  package func erase(in bytes: inout [UInt8]) -> [Int] {
    let found = bytes.withUnsafeBytes(occurrences)
    for offset in found {
      for index in offset..<offset + secret.count { bytes[index] = 0 }
    }
    return found
  }

  /// Whether some bytes occur in others.
  static func occurs(_ wanted: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, let first = wanted.first else { return false }
    var offset = 0
    while offset + wanted.count <= bytes.count {
      let rest = bytes.count - wanted.count + 1 - offset
      guard let hit = memchr(start + offset, Int32(first), rest) else { return false }
      if memcmp(hit, wanted, wanted.count) == 0 { return true }
      offset = start.distance(to: UnsafeRawPointer(hit)) + 1
    }
    return false
  }

  private func occurrences(in bytes: UnsafeRawBufferPointer) -> [Int] {
    var found: [Int] = []
    guard let start = bytes.baseAddress else { return [] }
    var offset = 0
    while offset + secret.count <= bytes.count {
      let rest = bytes.count - secret.count + 1 - offset
      guard let hit = memchr(start + offset, Int32(secret[0]), rest) else { break }
      let index = start.distance(to: UnsafeRawPointer(hit))
      if memcmp(hit, secret, secret.count) == 0 {
        found.append(index)
        offset = index + secret.count
      } else {
        offset = index + 1
      }
    }
    return found
  }
}
