internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// What a record needs besides its call: files go up and come down, sealed values are sealed and opened.
extension CKDatabase {
  /// The record that is sent: its encrypted values are sealed, its files uploaded.
  ///
  /// - Parameters:
  ///   - contents: The record.
  ///   - sendsAll: Sends all fields, not only those that were changed.
  ///   - uploads: Files of the same operation that were sent already.
  ///   - progress: Called with the part of the files' bytes that was sent, 0 to 1; not called when there are none.
  /// - Returns: What is sent.
  /// - Throws: `CKError`; what calls throw.
  func prepare(
    _ contents: CKRecord.Contents,
    sendsAll: Bool,
    uploads: inout Uploads,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> TidingsV1.Record {
    let name = contents.recordID.recordName
    for (key, value) in contents.values {
      if case .unusable(let reason) = value.kind {
        throw CKError(.invalidArguments, "\(key) of \(name): \(reason)")
      }
    }
    var record = contents.saved(sendsAll: sendsAll)
    // Before any file is sent: what should have been sealed must not leave in the clear.
    try await seal(&record, contents)
    let keys = record.fields.keys.sorted()
    var work = AssetWork(progress)
    for key in keys {
      for asset in contents.values[key]?.assets ?? [] { work.expect(size(of: asset)) }
    }
    for key in keys {
      guard let content = contents.values[key], let assets = content.assets else { continue }
      var sent: [TidingsV1.Asset] = []
      for asset in assets {
        let isKnown = isKnown(asset, in: contents, isChanged: contents.changedKeys.contains(key))
        if isKnown, let stored = asset.stored {
          sent.append(stored.asset)
        } else {
          sent.append(try await upload(asset, &uploads, work))
        }
        work.finish(size(of: asset))
      }
      if case .asset = content.kind {
        record.fields[key] = .init(value: sent.first.map { .assetValue($0) })
      } else {
        record.fields[key] = .init(value: .assetListValue(.init(values: sent)))
      }
    }
    return record
  }

  /// A record from the server, its files downloaded and its encrypted values opened.
  ///
  /// - Parameters:
  ///   - record: The record from the server.
  ///   - wantsFiles: Downloads its files; otherwise assets have no file.
  ///   - progress: Called with the part of the files' bytes that was received, 0 to 1; not called when there are none.
  /// - Returns: The record; a share if it is one.
  /// - Throws: `CKError`, when a file cannot be had.
  func receive(
    _ record: TidingsV1.Record,
    wantsFiles: Bool = true,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> CKRecord {
    var wire = record
    let unopened = await open(&wire)
    var contents = CKRecord.Contents(wire, assetsIn: location(of: wire.recordID?.zoneID))
    for (key, field) in record.fields {
      // What could not be opened stays sealed, and is not seen.
      if case .encryptedValue? = field.value { contents.encryptedKeys.insert(key) }
    }
    contents.unopened = unopened
    if wantsFiles {
      var work = AssetWork(progress)
      for value in contents.values.values {
        for asset in value.assets ?? [] { work.expect(asset.stored?.asset.size ?? 0) }
      }
      for (key, value) in contents.values {
        guard let assets = value.assets else { continue }
        var files: [CKAsset] = []
        for asset in assets {
          files.append(try await download(asset, work))
          work.finish(asset.stored?.asset.size ?? 0)
        }
        if case .asset = value.kind, let file = files.first {
          contents.values[key] = .init(.asset(file))
        } else {
          contents.values[key] = .init(.assets(files))
        }
      }
    }
    guard contents.shareTerms != nil else { return CKRecord(contents) }
    contents.shareTerms?.currentUser = (try? await link.userName()) ?? ""
    return CKShare(contents)
  }

  /// The answer for one record.
  func receive(
    _ result: TidingsV1.RecordResult,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async -> Result<CKRecord, CKError> {
    switch result.outcome {
    case .record(let record)?:
      do {
        return .success(try await receive(record, progress: progress))
      } catch {
        return .failure(CKError(wrapping: error))
      }
    case .error(let error)?: return .failure(CKError(error))
    default:
      return .failure(CKError(.internalError, "the server's answer does not include this record"))
    }
  }

  /// Why a save failed, with the records of a conflict, without their files.
  func failure(
    _ error: TidingsV1.ItemError,
    of save: ModificationBatch.Save,
    _ answer: TidingsV1.RecordResult
  ) async -> CKError {
    let plain = CKError(error)
    var records: [CKRecord?] = []
    for record in [answer.serverRecord, answer.ancestorRecord] {
      guard let record else {
        records.append(nil)
        continue
      }
      records.append(try? await receive(record, wantsFiles: false))
    }
    return CKError(
      plain.code,
      plain.message,
      retryAfterSeconds: plain.retryAfterSeconds,
      serverRecord: records[0],
      clientRecord: plain.code == .serverRecordChanged ? save.record : nil,
      ancestorRecord: records[1]
    )
  }
}
