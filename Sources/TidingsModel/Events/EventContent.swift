/// What an event carries of the record that changed, as the subscription's notification info asks.
public struct EventContent: Sendable {
  /// The values of the desired keys that the record has.
  public private(set) var fields = RecordFields()
  /// The desired keys whose values were too large.
  public private(set) var omittedKeys: [String] = []
  /// The values of the arguments of the localized alert, as text.
  public private(set) var alertValues: [String] = []
  /// The values of the arguments of the localized title.
  public private(set) var titleValues: [String] = []
  /// The values of the arguments of the localized subtitle.
  public private(set) var subtitleValues: [String] = []
  /// Notifications with the same one replace each other where they are shown; empty: none do.
  public private(set) var collapseID = ""

  /// Most characters of a localization value, CloudKit's number.
  static let valueCharactersMax = 100
  /// Most bytes of a localization value: a character may have any number of them.
  static let valueBytesMax = 400
  /// Most bytes of a collapse id, the number of Apple's push service.
  static let collapseIDBytesMax = 64

  /// Nothing: the channel has no notification info.
  public init() {}

  /// Nothing is carried.
  public var isEmpty: Bool {
    fields.sorted.isEmpty && omittedKeys.isEmpty && alertValues.isEmpty && titleValues.isEmpty
      && subtitleValues.isEmpty && collapseID.isEmpty
  }

  /// What is carried of a change.
  ///
  /// - Parameters:
  ///   - info: What the channel's subscriptions want shown and carried.
  ///   - old: The record before; `nil` for a creation, or when no record changed.
  ///   - new: The record after; `nil` for a deletion, or when no record changed.
  ///   - fieldsBytesMax: Most bytes of values.
  public init(_ info: NotificationInfo, old: Record?, new: Record?, fieldsBytesMax: Int) {
    if let new { take(info.desiredKeys, of: new, fieldsBytesMax) }
    let record = new ?? old
    alertValues = Self.values(of: info.alertLocalizationArgs, in: record)
    titleValues = Self.values(of: info.titleLocalizationArgs, in: record)
    subtitleValues = Self.values(of: info.subtitleLocalizationArgs, in: record)
    guard !info.collapseIDKey.isEmpty else { return }
    collapseID =
      record?.fields[info.collapseIDKey]?.text(
        characters: Self.collapseIDBytesMax,
        bytes: Self.collapseIDBytesMax
      )
      ?? info.collapseIDKey.cut(
        characters: Self.collapseIDBytesMax,
        bytes: Self.collapseIDBytesMax
      )
  }

  /// Takes values in the order of the keys, as long as there is room; a smaller one may follow one
  /// that is too large.
  private mutating func take(_ keys: [String], of record: Record, _ bytesMax: Int) {
    var room = bytesMax
    for key in keys {
      guard let value = record.fields[key], fields[key] == nil else { continue }
      if value.byteCount <= room {
        room -= value.byteCount
        fields[key] = value
      } else if !omittedKeys.contains(key) {
        omittedKeys.append(key)
      }
    }
  }

  private static func values(of names: [String], in record: Record?) -> [String] {
    names.map { name in
      record?.fields[name]?.text(characters: valueCharactersMax, bytes: valueBytesMax) ?? ""
    }
  }
}
