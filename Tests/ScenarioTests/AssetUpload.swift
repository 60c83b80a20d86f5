internal import RandomSupport
internal import TestSupport
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// A content, and its upload in pieces of 1 MiB by calls of their own: what fails is not repeated.
struct AssetUpload {
  let content: [UInt8]

  /// A content of so many bytes, always the same.
  init(_ count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let block = random.bytes(10_007)
    var content: [UInt8] = []
    while content.count < count { content += block.prefix(count - content.count) }
    self.content = content
  }

  var asset: TidingsV1.Asset {
    .init(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  /// The name of the folder of the asset's file.
  var group: String { String(asset.checksum.hexadecimal.prefix(2)) }

  /// The asset's file, in the server's folder.
  var path: String { "data/assets/\(group)/\(asset.checksum.hexadecimal.dropFirst(2))" }

  /// Sends the pieces from an offset on.
  ///
  /// - Returns: The last answer.
  func send(
    from start: Int = 0,
    to client: Client
  ) async throws -> TidingsV1.UploadAssetResponse {
    var response = TidingsV1.UploadAssetResponse()
    for offset in stride(from: start, to: content.count, by: 1 << 20) {
      let end = min(offset + 1 << 20, content.count)
      response = try await client.assetCalls.uploadAsset(
        .init(asset: asset, offset: UInt64(offset), chunk: Array(content[offset..<end]))
      )
    }
    return response
  }

  /// How much of it the server has.
  func stored(at client: Client) async throws -> TidingsV1.UploadAssetResponse {
    try await client.assetCalls.uploadAsset(.init(asset: asset))
  }
}
