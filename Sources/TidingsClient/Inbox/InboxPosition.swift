internal import TidingsFiles
internal import TidingsProto

/// A place in a user's notifications, exact to the notification: what comes after it was not handed
/// out, what comes before it was.
///
/// To applications it is opaque bytes, to be stored with the work that the notifications caused. Usually
/// a few hundred; they grow with the number of channels, about 10 bytes for each.
public struct InboxPosition: Hashable, Sendable {
  /// Whose notifications these are: a position is good for nobody else.
  struct Owner: Hashable, Sendable {
    var user: String
    var container: String
    var environment: Int32

    init(user: String, container: String, environment: Int32) {
      self.user = user
      self.container = container
      self.environment = environment
    }

    init(_ configuration: ClientConfiguration) {
      user = configuration.user
      container = configuration.container.isEmpty ? "default" : configuration.container
      let environment = configuration.environment.rawValue
      self.environment = environment == 0 ? 1 : environment
    }

    var text: String {
      let isProduction = environment == TidingsV1.Environment.production.rawValue
      let name = isProduction ? "production" : "development"
      return "user '\(user)' in container '\(container)', environment '\(name)'"
    }
  }

  let owner: Owner
  let progress: InboxProgress

  private static let magic = Array("TdgInbox".utf8)
  private static let version: UInt8 = 1
  private static let checksumBytes = 16

  init(owner: Owner, progress: InboxProgress) {
    self.owner = owner
    self.progress = progress
  }

  /// The bytes to be stored.
  public var bytes: [UInt8] {
    var writer = PositionWriter()
    writer.bytes = Self.magic + [Self.version]
    writer.add(owner.user)
    writer.add(owner.container)
    writer.add(UInt64(UInt32(bitPattern: owner.environment)))
    writer.add(progress.token)
    writer.add(UInt64(progress.numbers.count))
    for (channel, number) in progress.numbers.sorted(by: { $0.key < $1.key }) {
      writer.add(channel)
      writer.add(number)
    }
    writer.add(UInt64(progress.readMarks.count))
    for id in progress.readMarks.sorted() { writer.add(id) }
    return writer.bytes + SHA256.checksum(of: writer.bytes).prefix(Self.checksumBytes)
  }

  /// Decodes a position.
  ///
  /// - Throws: `positionDamaged` if the bytes are not a position.
  public init(bytes: [UInt8]) throws(InboxError) {
    guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count + Self.checksumBytes else {
      throw .positionDamaged("these \(bytes.count) bytes are not the position of an inbox")
    }
    guard bytes[Self.magic.count] == Self.version else {
      throw .positionDamaged(
        "unsupported version \(bytes[Self.magic.count]) of the position, expected \(Self.version): "
          + "use the version of the client that wrote it, or a newer one"
      )
    }
    let body = Array(bytes.dropLast(Self.checksumBytes))
    guard SHA256.checksum(of: body).starts(with: bytes.suffix(Self.checksumBytes)) else {
      throw .positionDamaged("the position is damaged: wrong checksum")
    }
    var reader = PositionReader(bytes: body[(Self.magic.count + 1)...])
    guard let position = reader.position() else {
      throw .positionDamaged("the position is damaged: unexpected end")
    }
    self = position
  }

  /// Rejects a position of another owner.
  func check(_ expected: Owner, _ source: String) throws(InboxError) {
    guard owner != expected else { return }
    throw .positionOwnerMismatch(
      "\(source) belongs to \(owner.text), and the client is \(expected.text): use another position "
        + "for each"
    )
  }
}

/// Encodes numbers as varints; strings and bytes are preceded by their length.
private struct PositionWriter {
  var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func add(_ more: [UInt8]) {
    add(UInt64(more.count))
    bytes += more
  }

  mutating func add(_ text: String) { add(Array(text.utf8)) }
}

private struct PositionReader {
  var bytes: ArraySlice<UInt8>

  mutating func position() -> InboxPosition? {
    guard let user = text(), let container = text(), let environment = number(),
      let token = blob(), let numberCount = number()
    else { return nil }
    var numbers: [String: UInt64] = [:]
    for _ in 0..<numberCount {
      guard let channel = text(), let number = number() else { return nil }
      numbers[channel] = number
    }
    guard let readCount = number() else { return nil }
    var readMarks: Set<String> = []
    for _ in 0..<readCount {
      guard let id = text() else { return nil }
      readMarks.insert(id)
    }
    let owner = InboxPosition.Owner(
      user: user,
      container: container,
      environment: Int32(truncatingIfNeeded: environment)
    )
    return InboxPosition(
      owner: owner,
      progress: InboxProgress(token: token, numbers: numbers, readMarks: readMarks)
    )
  }

  private mutating func number() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func blob() -> [UInt8]? {
    guard let count = number(), count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return Array(bytes.prefix(Int(count)))
  }

  private mutating func text() -> String? { blob().map { String(decoding: $0, as: UTF8.self) } }
}
