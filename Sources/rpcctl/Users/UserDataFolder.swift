internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// A folder with a user's data, which is renamed when it is complete and durable.
///
/// Only its owner may read it. Memory use is constant.
final class UserDataFolder {
  /// The size of the write buffer for lines, in bytes.
  private static let bufferBytesMax = 1 << 20
  private static let manifestVersion = 1

  private let path: String
  private let partPath: String
  private var buffers: [String: [UInt8]] = [:]
  private var bufferBytes = 0
  private var isCommitted = false
  /// The number of lines and assets of each kind.
  private(set) var counts: [String: Int] = [:]
  private(set) var assetBytes: UInt64 = 0

  /// Throws if the folder must not be written.
  static func check(_ path: String) throws {
    for path in [path, path + ".part"] where try Folder.status(path) != nil {
      let advice =
        path.hasSuffix(".part") ? "remove it, an incomplete export" : "name another folder"
      throw LocalFailure("'\(path)' exists: \(advice)")
    }
  }

  /// Creates `PATH.part`.
  init(_ path: String) throws {
    self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    partPath = self.path + ".part"
    try Self.check(self.path)
    for folder in ["", "/records", "/assets"] {
      guard try Folder.make(partPath + folder) else {
        throw LocalFailure("'\(partPath)' exists: another export is writing it")
      }
    }
  }

  deinit { discard() }

  /// Adds the line of an item; items of unknown kinds are only counted.
  func append(_ item: TidingsV1.UserDataItem) throws {
    counts[item.kind, default: 0] += 1
    guard let (file, json) = try item.line() else { return }
    let line = json.text() + [UInt8(ascii: "\n")]
    buffers[file, default: []] += line
    bufferBytes += line.count
    if bufferBytes > Self.bufferBytesMax { try flush() }
  }

  /// Whether the content of an asset has been fetched.
  func has(_ asset: TidingsV1.Asset) throws -> Bool {
    try Folder.status(assetPath(asset)) != nil
  }

  /// Fetches the content of an asset.
  func download(_ asset: TidingsV1.Asset, from transfer: AssetTransfer) async throws {
    let path = assetPath(asset)
    try await transfer.download(asset, to: path)
    _ = try Folder.closeToOthers(path)
    counts["asset-files", default: 0] += 1
    assetBytes += asset.size
  }

  /// Writes the manifest, and renames the folder.
  func commit(user: String, server: String, begun: JSONValue) throws -> JSONObject {
    try flush()
    var manifest: JSONObject = [
      "tidings": .string("user-data"), "version": .integer(Self.manifestVersion),
      "user": .string(user), "server": .string(server), "begun": begun,
      "finished": .timestamp(wallClock()),
    ]
    var object = JSONObject()
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
      object.append(kind, .integer(count))
    }
    manifest.append("counts", .object(object))
    manifest.append("assetBytes", .integer(assetBytes))
    let file = try File(path: partPath + "/manifest.json", .createNew)
    try file.write((JSONValue.object(manifest).text() + [UInt8(ascii: "\n")])[...], at: 0)
    try file.synchronize()
    try FolderTree.synchronizeFolders(partPath)
    guard try Folder.status(path) == nil else {
      throw LocalFailure("'\(path)' was created meanwhile")
    }
    try Folder.rename(partPath, to: path)
    isCommitted = true
    try Folder.synchronize(parentOf: path)
    return manifest
  }

  /// Removes the partial folder, unless it is complete.
  func discard() {
    guard !isCommitted else { return }
    isCommitted = true
    try? FolderTree.remove(partPath)
  }

  private func assetPath(_ asset: TidingsV1.Asset) -> String {
    "\(partPath)/assets/\(asset.checksum.hexadecimal)"
  }

  private func flush() throws {
    for (name, bytes) in buffers {
      let file = try File(path: "\(partPath)/\(name)", .create)
      try file.write(bytes[...], at: file.size)
      try file.synchronize()
    }
    buffers = [:]
    bufferBytes = 0
  }
}
