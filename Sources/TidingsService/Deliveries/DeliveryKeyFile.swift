internal import TidingsEncryption
internal import TidingsEngine

/// The key ring that seals delivery targets, `delivery.key` in the data folder: read or made when it is needed.
struct DeliveryKeyFile {
  let path: String

  /// Returns the ring; makes one if there is none and one is wanted.
  func ring(isMade: Bool) throws -> KeyRing? {
    let file = KeyRingFile(path: path)
    do {
      return try file.read()
    } catch {
      guard isMade else { return nil }
      let ring = KeyRing([KeyRing.Entry(EncryptionKey(), .seal)])
      do {
        try file.create(ring)
      } catch let failure {
        // There is a file, and it cannot be used.
        throw StartError("the key ring of delivery targets: \(error); \(failure)")
      }
      return ring
    }
  }
}
