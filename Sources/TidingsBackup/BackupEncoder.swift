internal import TidingsFiles
internal import TidingsJSON

/// Makes the bytes of a backup, section by section.
package struct BackupEncoder: Sendable {
  private var checksum: [UInt8]

  /// Nothing is encoded yet; `head` comes first.
  package init() { checksum = SHA256.checksum(of: BackupFormat.head) }

  /// What every backup begins with.
  package static var head: [UInt8] { BackupFormat.head }

  /// Appends a section.
  ///
  /// - Parameters:
  ///   - section: The next one; pieces and runs of pages have at most `BackupFormat.pieceBytesMax` bytes.
  ///   - output: What its bytes are appended to.
  package mutating func append(_ section: BackupSection, to output: inout [UInt8]) {
    let begin = output.count
    switch section {
    case .manifest(let manifest):
      Self.append(.manifest, to: &output, manifest.json.text())
    case .pages(let first, let bytes):
      Self.append(.pages, to: &output, first.bigEndianBytes, bytes)
    case .asset(let checksum, let size):
      Self.append(.asset, to: &output, checksum, size.bigEndianBytes)
    case .piece(let bytes): Self.append(.piece, to: &output, bytes)
    case .damagedAsset: Self.append(.damagedAsset, to: &output, [])
    case .end(let totals):
      let numbers = [totals.pages, totals.assets, totals.assetBytes, totals.damagedAssets]
      Self.append(.end, to: &output, numbers.flatMap(\.bigEndianBytes))
    }
    var hash = SHA256()
    hash.update(checksum[...])
    hash.update(output[begin...])
    checksum = hash.checksum()
    output += checksum
  }

  private static func append(
    _ kind: BackupFormat.Kind,
    to output: inout [UInt8],
    _ content: [UInt8]...
  ) {
    let count = content.reduce(0) { $0 + $1.count }
    precondition(count <= BackupFormat.contentBytesMax, "a section of \(count) bytes")
    output.append(kind.rawValue)
    output += UInt32(count).bigEndianBytes
    for part in content { output += part }
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant one first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

  /// The number that bytes stand for, the most significant one first.
  init(bigEndian bytes: ArraySlice<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
}
