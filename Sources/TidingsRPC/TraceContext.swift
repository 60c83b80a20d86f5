/// The number of a trace: 128 bits, not 0.
public struct TraceID: Hashable, Sendable {
  /// The upper half.
  public let high: UInt64
  /// The lower half.
  public let low: UInt64

  /// A number that nobody else has.
  public static func random() -> Self {
    Self(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max))
  }

  /// 32 lower-case hexadecimal digits.
  public var text: String { high.hexadecimal + low.hexadecimal }

  /// 16 bytes, as OTLP sends them.
  public var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

/// The number of a span: 64 bits, not 0.
public struct SpanID: Hashable, Sendable {
  /// The number.
  public let number: UInt64

  /// A number that no other span of its trace has.
  public static func random() -> Self { Self(number: .random(in: 1 ... .max)) }

  /// 8 bytes, as OTLP sends them.
  public var bytes: [UInt8] { number.bigEndianBytes }
}

/// A span of a trace, as a peer names it: W3C's Trace Context.
public struct TraceContext: Hashable, Sendable {
  /// The trace.
  public let traceID: TraceID
  /// The span.
  public let spanID: SpanID
  /// Somebody records the trace.
  public let isSampled: Bool

  /// Names a span.
  public init(_ traceID: TraceID, _ spanID: SpanID, isSampled: Bool) {
    (self.traceID, self.spanID, self.isSampled) = (traceID, spanID, isSampled)
  }

  /// Reads a `traceparent`, for example `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
  ///
  /// `nil`: it is none. Versions after 00 may have more behind it, which is ignored.
  public init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(56))
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = Self.number(bytes[0..<2]), version != 0xFF,
      bytes.count == 55 || version != 0 && bytes[55] == UInt8(ascii: "-"),
      let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
      high != 0 || low != 0, span != 0
    else { return nil }
    self.init(
      TraceID(high: high, low: low),
      SpanID(number: span),
      isSampled: flags & 1 != 0
    )
  }

  /// The value of `traceparent`.
  public var text: String {
    "00-\(traceID.text)-\(spanID.number.hexadecimal)-\(isSampled ? "01" : "00")"
  }

  /// Upper-case digits are not allowed.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
    return number
  }
}

extension UInt64 {
  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  fileprivate var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) }
  }
}
