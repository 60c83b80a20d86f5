internal import Synchronization
internal import TidingsEncryption
internal import TidingsFiles

/// A key ring that was read, and the state of its file.
struct LoadedKeyRing: Sendable {
  let ring: KeyRing
  let size: UInt64
  let changed: Int64
}

extension ContainerLink {
  /// The user's keys; read again when the file was changed.
  func keyRing() throws -> KeyRing {
    let path = settings.keyRingFile
    guard !path.isEmpty else {
      throw CKError(
        .invalidArguments,
        "encrypted values need the user's key ring: name its file in TIDINGS_KEY_RING"
      )
    }
    do {
      // A ring only grows, so that its size tells too.
      let status = try Folder.status(path) ?? (size: 0, changed: 0)
      if let loaded = loadedKeyRing.withLock({ $0 }), loaded.size == status.size,
        loaded.changed == status.changed
      {
        return loaded.ring
      }
      let ring = try KeyRingFile(path: path).read()
      loadedKeyRing.withLock {
        $0 = LoadedKeyRing(ring: ring, size: status.size, changed: status.changed)
      }
      return ring
    } catch {
      throw CKError(.invalidArguments, "the key ring cannot be used: \(error)")
    }
  }
}
