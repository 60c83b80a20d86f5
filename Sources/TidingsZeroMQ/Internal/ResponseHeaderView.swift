internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire

/// A response's header in its frame; valid as long as that.
struct ResponseHeaderView {
  private typealias Field = TidingsRpcV1.ResponseHeader.FieldNumber

  private let bytes: UnsafeRawBufferPointer
  private(set) var callID: UInt64 = 0
  private(set) var endsStream = false
  private(set) var hasMessage = false
  private var status: UInt32 = 0

  /// Reads a header; `nil` when the bytes are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    guard let lent = LentBytes(bytes) else { return }
    var reader = WireReader(lent)
    do {
      while let (field, value) = try reader.next() {
        guard case .varint(let number) = value else { continue }
        switch field {
        case Field.callID: callID = number
        case Field.status: status = UInt32(truncatingIfNeeded: number)
        case Field.endOfStream: endsStream = number != 0
        case Field.hasMessage: hasMessage = number != 0
        default: continue
        }
      }
    } catch {
      return nil
    }
  }

  var isOK: Bool { status == 0 }
  var isUnavailable: Bool { status == StatusCode.unavailable.rawValue }
  var isExhausted: Bool { status == StatusCode.resourceExhausted.rawValue }

  /// The status of a failed call.
  func makeError() -> RPCError {
    let header = try? TidingsRpcV1.ResponseHeader(decoding: Array(bytes))
    return RPCError(
      StatusCode(rawValue: status),
      header?.message ?? "",
      details: header?.details.map { .init(typeURL: $0.typeURL, value: $0.value) } ?? []
    )
  }
}
