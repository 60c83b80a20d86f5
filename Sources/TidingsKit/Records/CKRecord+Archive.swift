internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// Records are archived as the message that is sent of them, and what is known here only.
extension CKRecord.Contents {
  private enum Key {
    static let record = "record"
    static let changed = "changedKeys"
    static let encrypted = "encryptedKeys"
    static let isParentChanged = "parentChanged"
    static let user = "user"
    static let files = "files"
  }

  /// Without fields, and without changes.
  var systemFields: Self {
    var contents = self
    contents.values = [:]
    contents.unopened = [:]
    contents.encryptedKeys = []
    contents.changedKeys = []
    contents.isParentChanged = false
    return contents
  }

  func encode(with coder: NSCoder) {
    coder.encode(Data(wire(values: values).encoded()) as NSData, forKey: Key.record)
    coder.encode(Self.list(changedKeys), forKey: Key.changed)
    coder.encode(Self.list(encryptedKeys), forKey: Key.encrypted)
    coder.encode(isParentChanged, forKey: Key.isParentChanged)
    coder.encode(files, forKey: Key.files)
    coder.encode(NSString(string: shareTerms?.currentUser ?? ""), forKey: Key.user)
  }

  init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: Key.record),
      let record = try? TidingsV1.Record(decoding: Array(Data(referencing: data)))
    else { return nil }
    self.init(record)
    changedKeys = Self.set(coder.object(of: NSData.self, forKey: Key.changed))
    encryptedKeys = Self.set(coder.object(of: NSData.self, forKey: Key.encrypted))
    isParentChanged = coder.decodeBool(forKey: Key.isParentChanged)
    addFiles(coder.object(of: NSData.self, forKey: Key.files))
    let user = coder.object(of: NSString.self, forKey: Key.user)
    shareTerms?.currentUser = user.map { String(describing: $0) } ?? ""
  }

  /// Files that are to be uploaded: the message has none.
  private var files: NSData {
    var lines: [String] = []
    for (key, value) in values {
      guard let assets = value.assets, assets.contains(where: { $0.stored == nil }) else {
        continue
      }
      let isOne = if case .asset = value.kind { true } else { false }
      lines += assets.compactMap { asset in
        asset.fileURL.map { "\(key)\n\(isOne)\n\($0.path)" }
      }
    }
    return Data(TidingsV1.DesiredKeys(keys: lines).encoded()) as NSData
  }

  private mutating func addFiles(_ data: NSData?) {
    let lines = data.flatMap { try? TidingsV1.DesiredKeys(decoding: Array(Data(referencing: $0))) }
    var lists: [String: [CKAsset]] = [:]
    for line in lines?.keys ?? [] {
      let parts = line.split(separator: "\n", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { continue }
      let asset = CKAsset(fileURL: URL(fileURLWithPath: parts[2]))
      if parts[1] == "true" {
        values[parts[0]] = .init(.asset(asset))
      } else {
        lists[parts[0], default: []].append(asset)
      }
    }
    for (key, assets) in lists { values[key] = .init(.assets(assets)) }
  }

  private static func list(_ keys: Set<String>) -> NSData {
    Data(TidingsV1.DesiredKeys(keys: keys.sorted()).encoded()) as NSData
  }

  private static func set(_ data: NSData?) -> Set<String> {
    let keys = data.flatMap { try? TidingsV1.DesiredKeys(decoding: Array(Data(referencing: $0))) }
    return Set(keys?.keys ?? [])
  }
}
