public import Foundation
internal import TidingsProto

/// A file, as the value of a field; it is uploaded when the record is saved, and downloaded when the
/// record is fetched.
public final class CKAsset: NSObject, CKRecordValueProtocol, Sendable {
  /// Where the file is; `nil`: it was not downloaded.
  public let fileURL: URL?
  /// What the server knows it by; `nil` before it was uploaded.
  let stored: TidingsV1.Asset?

  /// A file to be uploaded with the record.
  public init(fileURL: URL) {
    self.fileURL = fileURL
    stored = nil
  }

  init(fileURL: URL?, stored: TidingsV1.Asset) {
    self.fileURL = fileURL
    self.stored = stored
  }

  /// What is stored.
  public var recordContent: CKRecordContent { .init(.asset(self)) }
}
