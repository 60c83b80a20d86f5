internal import Foundation
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsProto

/// What a record needs besides its call: files go up and come down, sealed values are sealed and opened.
extension CKDatabase {
  /// The record that is sent: its files are uploaded, its encrypted values sealed.
  func prepare(
    _ contents: CKRecord.Contents,
    sendsAll: Bool,
    progress: (Double) -> Void
  ) async throws -> TidingsV1.Record {
    let name = contents.recordID.recordName
    for (key, value) in contents.values {
      if case .unusable(let reason) = value.kind {
        throw CKError(.invalidArguments, "\(key) of \(name): \(reason)")
      }
    }
    var record = contents.saved(sendsAll: sendsAll)
    for key in record.fields.keys.sorted() {
      switch contents.values[key]?.kind {
      case .asset(let asset)?:
        record.fields[key] = .init(value: .assetValue(try await upload(asset)))
        progress(0.5)
      case .assets(let assets)?:
        var uploaded: [TidingsV1.Asset] = []
        for asset in assets { uploaded.append(try await upload(asset)) }
        record.fields[key] = .init(value: .assetListValue(.init(values: uploaded)))
        progress(0.5)
      default: break
      }
    }
    let sealed = contents.encryptedKeys.filter { record.fields[$0]?.value != nil }
    guard !sealed.isEmpty else { return record }
    do {
      try await sealer().seal(sealed.sorted(), of: &record)
    } catch let error as EncryptionError {
      throw CKError(.invalidArguments, "\(error)")
    }
    return record
  }

  /// A record as the server told it, its files downloaded and its encrypted values opened.
  func receive(_ record: TidingsV1.Record) async throws -> CKRecord {
    var wire = record
    let sealed = record.fields.filter {
      if case .encryptedValue? = $0.value.value { true } else { false }
    }.keys
    if !sealed.isEmpty { _ = try? await sealer().open(&wire) }
    var contents = CKRecord.Contents(wire)
    // What could not be opened stays sealed, and is not seen.
    contents.encryptedKeys = Set(sealed)
    for (key, value) in contents.values {
      switch value.kind {
      case .asset(let asset): contents.values[key] = .init(.asset(try await download(asset)))
      case .assets(let assets):
        var files: [CKAsset] = []
        for asset in assets { files.append(try await download(asset)) }
        contents.values[key] = .init(.assets(files))
      default: break
      }
    }
    return contents.wireShare == nil ? CKRecord(contents) : CKShare(contents)
  }

  /// The answer for one record.
  func receive(_ result: TidingsV1.RecordResult) async -> Result<CKRecord, CKError> {
    switch result.outcome {
    case .record(let record)?:
      do {
        return .success(try await receive(record))
      } catch {
        return .failure(CKError(wrapping: error))
      }
    case .error(let error)?: return .failure(CKError(error))
    default:
      return .failure(CKError(.internalError, "the server's answer does not tell of this record"))
    }
  }

  private func upload(_ asset: CKAsset) async throws -> TidingsV1.Asset {
    if let stored = asset.stored { return stored }
    guard let url = asset.fileURL, FileManager.default.isReadableFile(atPath: url.path) else {
      throw CKError(.assetFileNotFound, "\(asset.fileURL?.path ?? "the asset") cannot be read")
    }
    do {
      return try await link.client().assets(in: databaseID).upload(fileAt: url.path)
    } catch let error as AssetFileError {
      throw CKError(.assetFileNotFound, "\(error)")
    }
  }

  private func download(_ asset: CKAsset) async throws -> CKAsset {
    guard let stored = asset.stored else { return asset }
    let path = AssetCache.path(of: stored)
    if !FileManager.default.fileExists(atPath: path) {
      do {
        try await link.client().assets(in: databaseID).download(stored, to: path)
      } catch {
        throw CKError(.assetNotAvailable, "\(error)")
      }
    }
    return CKAsset(fileURL: URL(fileURLWithPath: path), stored: stored)
  }

  private func sealer() async throws -> FieldSealer {
    let path = link.settings.keyRingFile
    guard !path.isEmpty else {
      throw CKError(
        .invalidArguments,
        "encrypted values need the user's key ring: name its file in TIDINGS_KEY_RING"
      )
    }
    do {
      let ring = try KeyRingFile(path: path).read()
      return try await link.client().fieldSealer(ring, in: databaseID)
    } catch {
      throw CKError(.invalidArguments, "the key ring cannot be used: \(error)")
    }
  }
}

/// Where downloaded files are: named for their content, so they never change.
enum AssetCache {
  private static let folder: String = {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tidings-assets-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return folder.path
  }()

  static func path(of asset: TidingsV1.Asset) -> String {
    folder + "/"
      + asset.checksum.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
