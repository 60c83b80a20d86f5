internal import TidingsClient
internal import TidingsProto

/// Values that the server cannot read.
extension CKDatabase {
  /// Seals what is sent of a record's encrypted values.
  func seal(_ record: inout TidingsV1.Record, _ contents: CKRecord.Contents) async throws {
    // A value that is removed has nothing to seal.
    let keys = contents.encryptedKeys.filter {
      contents.values[$0] != nil && record.fields[$0] != nil
    }
    guard !keys.isEmpty else { return }
    let name = contents.recordID.recordName
    guard databaseScope != .public else {
      throw CKError(
        .invalidArguments,
        "\(name): the public database has no encrypted values, everyone reads it: save "
          + "\(keys.sorted().joined(separator: ", ")) in a private or shared database"
      )
    }
    do {
      for key in keys.sorted() where contents.values[key]?.assets != nil {
        throw EncryptionError.notEncryptable(field: key)
      }
      let toSeal = keys.filter {
        if case .encryptedValue? = record.fields[$0]?.value { false } else { true }
      }
      if !toSeal.isEmpty { try await sealer().seal(toSeal.sorted(), of: &record) }
    } catch let error as EncryptionError {
      throw CKError(.invalidArguments, "\(name): \(error)")
    }
  }

  /// Opens a record's encrypted values.
  ///
  /// - Returns: By field, why it could not be opened.
  func open(_ record: inout TidingsV1.Record) async -> [String: CKError] {
    let sealed = record.fields.filter {
      if case .encryptedValue? = $0.value.value { true } else { false }
    }.keys
    guard !sealed.isEmpty else { return [:] }
    do {
      return try await sealer().open(&record).mapValues { CKError(.invalidArguments, "\($0)") }
    } catch {
      let reason = CKError(wrapping: error)
      return Dictionary(uniqueKeysWithValues: sealed.map { ($0, reason) })
    }
  }

  private func sealer() async throws -> FieldSealer {
    try await link.sealer(of: databaseID)
  }
}
