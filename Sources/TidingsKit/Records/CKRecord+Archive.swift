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
  }

  /// Without fields, and without changes.
  var systemFields: Self {
    var contents = self
    contents.values = [:]
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
  }

  init?(coder: NSCoder) {
    guard let data = coder.decodeObject(of: NSData.self, forKey: Key.record),
      let record = try? TidingsV1.Record(decoding: Array(Data(referencing: data)))
    else { return nil }
    self.init(record)
    changedKeys = Self.set(coder.decodeObject(of: NSData.self, forKey: Key.changed))
    encryptedKeys = Self.set(coder.decodeObject(of: NSData.self, forKey: Key.encrypted))
    isParentChanged = coder.decodeBool(forKey: Key.isParentChanged)
  }

  private static func list(_ keys: Set<String>) -> NSData {
    Data(TidingsV1.DesiredKeys(keys: keys.sorted()).encoded()) as NSData
  }

  private static func set(_ data: NSData?) -> Set<String> {
    let keys = data.flatMap { try? TidingsV1.DesiredKeys(decoding: Array(Data(referencing: $0))) }
    return Set(keys?.keys ?? [])
  }
}
