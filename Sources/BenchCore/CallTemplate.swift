/// The two frames of a call, built once; only the call id and two numbers in the body change.
///
/// A number stands as ten digits, for example in a record's name. Nothing is allocated per call.
public struct CallTemplate: Sendable {
  /// The header's first field is the call id; ids of this range take four bytes.
  public static let firstCallID: UInt64 = 1 << 21
  /// Call ids start again after so many.
  public static let callIDCount: UInt64 = 1 << 27
  /// Digits of a number.
  public static let digitCount = 10
  /// What stands for the record's number while a body is built.
  public static let namePlaceholder = "7777777777"
  /// What stands for a number that differs from call to call while a body is built.
  public static let serialPlaceholder = "8888888888"

  /// The header frame.
  public private(set) var header: [UInt8]
  /// The body frame.
  public private(set) var body: [UInt8]
  /// Where the record's number stands in the body.
  public let nameOffsets: [Int]
  private let serialOffsets: [Int]

  /// A template from encoded messages.
  ///
  /// - Parameters:
  ///   - header: A request header with the call id `firstCallID`.
  ///   - body: A request with the placeholders in it.
  public init(header: [UInt8], body: [UInt8]) {
    precondition(header.starts(with: [0x08, 0x80, 0x80, 0x80, 0x01]), "the call id comes first")
    self.header = header
    self.body = body
    nameOffsets = Self.offsets(of: Array(Self.namePlaceholder.utf8), in: body)
    serialOffsets = Self.offsets(of: Array(Self.serialPlaceholder.utf8), in: body)
  }

  /// Writes the numbers of the next call.
  ///
  /// `call` counts the calls; the call id is made of it.
  public mutating func set(call: UInt64, name: Int, serial: Int) {
    let id = Self.callID(of: call)
    header[1] = UInt8(truncatingIfNeeded: id) | 0x80
    header[2] = UInt8(truncatingIfNeeded: id >> 7) | 0x80
    header[3] = UInt8(truncatingIfNeeded: id >> 14) | 0x80
    header[4] = UInt8(truncatingIfNeeded: id >> 21)
    for offset in nameOffsets { write(name, at: offset) }
    for offset in serialOffsets { write(serial, at: offset) }
  }

  /// The id of a call by its count.
  public static func callID(of call: UInt64) -> UInt64 { firstCallID + call % callIDCount }

  /// Whether bytes contain the digits of the record that the call is about.
  public func isNamed(in bytes: UnsafeRawBufferPointer) -> Bool {
    guard let offset = nameOffsets.first, bytes.count >= Self.digitCount else { return false }
    let digits = body[offset..<offset + Self.digitCount]
    return (0...bytes.count - Self.digitCount).contains { start in
      bytes[start..<start + Self.digitCount].elementsEqual(digits)
    }
  }

  private mutating func write(_ number: Int, at offset: Int) {
    var rest = number
    for position in (offset..<offset + Self.digitCount).reversed() {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      body[position] = 0x30 + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
  }

  private static func offsets(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard bytes.count >= pattern.count else { return [] }
    return (0...bytes.count - pattern.count).filter {
      bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
  }
}
