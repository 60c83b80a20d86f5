internal import TidingsEncryption
internal import TidingsEngine
internal import TidingsFiles

/// The key ring that seals delivery targets, `delivery.key` in the data folder: read or made when it is needed.
struct DeliveryKeyFile {
  let path: String

  /// Returns the ring; makes one if there is none and one is wanted.
  ///
  /// - Throws: When there is one that cannot be read now: what it seals is not lost.
  func ring(isMade: Bool) throws -> KeyRing? {
    let file = KeyRingFile(path: path)
    do {
      return try file.read()
    } catch {
      guard try Folder.status(path) == nil else {
        throw StartError("the key ring of delivery targets: \(error)")
      }
      guard isMade else { return nil }
      let ring = KeyRing([KeyRing.Entry(EncryptionKey(), .seal)])
      try file.create(ring)
      return ring
    }
  }
}
