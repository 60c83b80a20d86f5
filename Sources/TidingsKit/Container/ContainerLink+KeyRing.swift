internal import Synchronization
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsProto

/// A key ring that was read, and the state of its file.
struct LoadedKeyRing: Sendable {
  let ring: KeyRing
  let size: UInt64
  let changed: Int64
}

extension ContainerLink {
  /// What seals and opens values in a database: with the ring that the connection names, or the one of the
  /// user's data folder.
  func sealer(of database: TidingsV1.DatabaseID) async throws -> FieldSealer {
    guard settings.keyRingFile.isEmpty else {
      return FieldSealer(try keyRing(), database: database, user: try await userName())
    }
    guard let standard = defaultKeyRing else {
      throw CKError(
        .invalidArguments,
        "encrypted values need the user's key ring, and there is no data folder to keep it in: name its "
          + "file in TIDINGS_KEY_RING"
      )
    }
    return FieldSealer(standard, database: database, user: try await userName())
  }

  /// The user's keys in the file that the connection names; read again when it was changed.
  private func keyRing() throws -> KeyRing {
    let path = settings.keyRingFile
    do {
      // A ring only grows, so that its size shows changes too.
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
