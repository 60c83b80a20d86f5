internal import TidingsJSON
internal import TidingsProto

/// `{fileChecksum, size, receipt, wrappingKey, referenceChecksum, downloadURL}`.
///
/// The checksum is SHA-256; a receipt says nothing more, because the server knows what its caller uploaded. Contents
/// are not encrypted for each asset, so that there is no wrapping key; clients expect the member.
enum AssetDictionary {
  static func read(_ input: WebInput) throws(WebFailure) -> TidingsV1.Asset {
    try input.check(.asset)
    let checksum = try input.base64("fileChecksum")
    guard checksum.count == 32 else {
      throw .badRequest(
        "\(input.path(to: "fileChecksum")) is not the checksum of an upload: send the dictionary that it answered"
      )
    }
    let size = try input.integer("size", in: 0...Int.max) ?? 0
    return .init(checksum: checksum, size: UInt64(size))
  }

  static func json(_ asset: TidingsV1.Asset, _ style: FieldDictionary.Style) -> JSONValue {
    var object = members(asset)
    if let url = style.downloadURL?(asset) { object.append("downloadURL", .string(url)) }
    return .object(object)
  }

  /// The answer to an upload.
  static func members(_ asset: TidingsV1.Asset) -> JSONObject {
    let checksum = JSONValue.string(Base64.encode(asset.checksum))
    return [
      "fileChecksum": checksum,
      "size": .integer(asset.size),
      "receipt": checksum,
      "referenceChecksum": checksum,
      "wrappingKey": .string(Base64.encode([UInt8](repeating: 0, count: 16))),
    ]
  }
}
