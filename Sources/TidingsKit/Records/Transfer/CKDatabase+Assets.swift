internal import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Files of one operation that were sent: none is sent twice.
struct Uploads: Sendable {
  private var sent: [File: TidingsV1.Asset] = [:]

  /// A file as it is now.
  struct File: Hashable, Sendable {
    let path: String
    let size: UInt64
    let changed: Date
  }

  subscript(file: File) -> TidingsV1.Asset? {
    get { sent[file] }
    set { sent[file] = newValue }
  }
}

/// How much of the files of a record went or came.
struct AssetWork: Sendable {
  private var total: UInt64 = 0
  private var done: UInt64 = 0
  private let progress: @Sendable (Double) -> Void

  init(_ progress: @escaping @Sendable (Double) -> Void) { self.progress = progress }

  mutating func expect(_ bytes: UInt64) { total += bytes }
  mutating func finish(_ bytes: UInt64) { done += bytes }

  /// For the transfer of the next file; the end is reported when the record is complete.
  var teller: @Sendable (AssetProgress) -> Void {
    { [total, done, progress] step in
      guard step.step == .transferring, total > 0 else { return }
      progress(min(1, Double(done + step.bytesDone) / Double(total)))
    }
  }
}

extension CKDatabase {
  /// Where the assets of a zone's records are known.
  func location(of zone: TidingsV1.ZoneID?) -> AssetLocation {
    AssetLocation(
      endpoints: link.settings.endpoints,
      user: databaseScope == .public ? "" : link.settings.user + link.settings.keyFile,
      database: databaseID,
      owner: zone?.ownerName ?? ""
    )
  }

  /// Whether the server takes an asset by what it knows of it.
  ///
  /// In the shared database only where it is already: what a participant adds must be sent, also when
  /// the owner has it.
  func isKnown(_ asset: CKAsset, in contents: CKRecord.Contents, isChanged: Bool) -> Bool {
    guard let stored = asset.stored else { return false }
    guard isChanged else { return true }
    return databaseScope != .shared
      && stored.location == location(of: contents.recordID.zoneID.wire)
  }

  /// Bytes of an asset that is to be sent.
  func size(of asset: CKAsset) -> UInt64 {
    asset.stored?.asset.size ?? asset.fileURL.flatMap { Self.file($0) }?.size ?? 0
  }

  private static func file(_ url: URL) -> Uploads.File? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
      !isFolder.boolValue, FileManager.default.isReadableFile(atPath: url.path),
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    else { return nil }
    return Uploads.File(
      path: url.path,
      size: (attributes[.size] as? NSNumber)?.uint64Value ?? 0,
      changed: attributes[.modificationDate] as? Date ?? .distantPast
    )
  }

  func upload(
    _ asset: CKAsset,
    _ uploads: inout Uploads,
    _ work: AssetWork
  ) async throws -> TidingsV1.Asset {
    guard let url = asset.fileURL else {
      throw CKError(
        .assetFileNotFound,
        "the asset was not downloaded, so it cannot be sent to another record: fetch it with its file"
      )
    }
    guard let before = Self.file(url) else {
      throw CKError(.assetFileNotFound, "'\(url.path)' is not there, or cannot be read")
    }
    if let sent = uploads[before] { return sent }
    let sent: TidingsV1.Asset
    do {
      sent = try await link.client().assets(in: databaseID)
        .upload(fileAt: url.path, progress: work.teller)
    } catch {
      guard error is AssetFileError || Self.file(url) != before else { throw error }
      throw Self.changed(url, before) ?? CKError(.assetFileNotFound, "\(error)")
    }
    if let changed = Self.changed(url, before) { throw changed }
    uploads[before] = sent
    return sent
  }

  /// The file is another one than it was.
  private static func changed(_ url: URL, _ before: Uploads.File) -> CKError? {
    file(url) == before
      ? nil
      : CKError(
        .assetFileModified,
        "'\(url.path)' changed while it was uploaded: save the record again when it is complete"
      )
  }

  func download(_ asset: CKAsset, _ work: AssetWork) async throws -> CKAsset {
    guard let stored = asset.stored else { return asset }
    do {
      let transfer = try await link.client().assets(in: databaseID)
      let file = try await AssetCache.shared.get().file(stored.asset) { path in
        try await transfer.download(stored.asset, to: path, progress: work.teller)
      }
      return CKAsset(file, stored)
    } catch {
      let error = (error as? CKError) ?? Self.notAvailable(error)
      throw error
    }
  }

  private static func notAvailable(_ error: any Error) -> CKError {
    switch error {
    case is CancellationError: .cancelled
    case let error as RPCError where error.code == .cancelled: .cancelled
    default: CKError(.assetNotAvailable, "\(error)")
    }
  }
}
