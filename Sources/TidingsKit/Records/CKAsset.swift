public import Foundation
internal import Synchronization
internal import TidingsProto

/// A file, as the value of a field; it is uploaded when the record is saved, and downloaded when the
/// record is fetched.
///
/// A downloaded file is read, copied or moved, not changed. It stays at least as long as the asset; what
/// is to last, the program copies or moves (<doc:ComingFromCloudKit>).
public final class CKAsset: NSObject, NSSecureCoding, __CKRecordObjCValue, Sendable {
  /// Where the file is; `nil`: it was not downloaded.
  public let fileURL: URL?
  /// Keeps a downloaded file.
  private let file: CachedFile?
  private let known: Mutex<Stored?>

  /// What a database knows it by.
  struct Stored: Sendable {
    var asset: TidingsV1.Asset
    var location: AssetLocation
  }

  /// A file to be uploaded with the record.
  public init(fileURL: URL) {
    self.fileURL = fileURL
    file = nil
    known = Mutex(nil)
  }

  init(_ file: CachedFile?, _ stored: Stored) {
    fileURL = file.map { URL(fileURLWithPath: $0.path) }
    self.file = file
    known = Mutex(stored)
  }

  /// What a database knows it by; `nil` before it was uploaded.
  var stored: Stored? { known.withLock { $0 } }

  /// It was saved.
  func remember(_ stored: Stored) { known.withLock { $0 = stored } }

  /// What is stored.
  public var recordContent: CKRecordContent { .init(.asset(self)) }

  /// Assets can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes where the file is, not what is in it.
  public func encode(with coder: NSCoder) {
    coder.encode(fileURL.map { NSString(string: $0.path) }, forKey: "file")
  }

  /// Reads what `encode(with:)` wrote: an asset of the same file, which is sent with the record in which it
  /// is saved.
  public init?(coder: NSCoder) {
    let path = coder.object(of: NSString.self, forKey: "file")
    fileURL = path.map { URL(fileURLWithPath: String(describing: $0)) }
    file = nil
    known = Mutex(nil)
  }
}

/// Where an asset is known by its checksum: elsewhere it must be sent again.
struct AssetLocation: Hashable, Sendable {
  var endpoints: [String] = []
  var user = ""
  var database = TidingsV1.DatabaseID()
  var owner = ""
}
