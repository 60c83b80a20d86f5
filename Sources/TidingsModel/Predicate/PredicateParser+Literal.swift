extension PredicateParser {
  /// The literal that stands here; `nil` when none does.
  mutating func literal() throws(PredicateError) -> FieldValue? {
    switch scanner.next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try scanner.quoted())
    case UInt8(ascii: "<"): return try bytes()
    case UInt8(ascii: "@"): return try typed()
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): return try scanner.number()
    case .some(let byte) where byte.isASCIIDigit: return try scanner.number()
    default: break
    }
    if scanner.take(.true) || scanner.take(.yes) { return .int64(1) }
    if scanner.take(.false) || scanner.take(.no) { return .int64(0) }
    if scanner.take(.now) {
      if scanner.take("(") { try close() }
      return .timestamp(now)
    }
    return nil
  }

  private mutating func close() throws(PredicateError) {
    scanner.skipSpace()
    guard scanner.take(")") else { throw scanner.expected("')': now() takes nothing") }
  }

  /// `<00ff>`.
  private mutating func bytes() throws(PredicateError) -> FieldValue {
    let start = scanner.position
    _ = scanner.take("<")
    let digits = scanner.takeHexadecimal()
    guard scanner.take(">"), digits.count.isMultiple(of: 2) else {
      throw scanner.error("expected bytes as pairs of hexadecimal digits, as in <00ff>", at: start)
    }
    return .bytes(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// `@2026-01-02T03:04:05.678Z`, `@location(…)`, `@reference(…)`.
  private mutating func typed() throws(PredicateError) -> FieldValue {
    let start = scanner.position
    _ = scanner.take("@")
    if scanner.next?.isASCIIDigit == true { return .timestamp(try time(from: start)) }
    switch scanner.word {
    case "location":
      scanner.skip("location")
      try expect("(")
      let latitude = try degrees()
      try expect(",")
      let longitude = try degrees()
      try expect(")")
      return .location(Location(latitude: latitude, longitude: longitude))
    case "reference":
      scanner.skip("reference")
      try expect("(")
      let recordName = try scanner.quoted()
      scanner.skipSpace()
      let hasZone = scanner.take(",")
      scanner.skipSpace()
      let zoneName = hasZone ? try scanner.quoted() : ""
      try expect(")")
      let recordID = RecordID(recordName: recordName, zoneID: ZoneID(zoneName: zoneName))
      return .reference(Reference(recordID: recordID))
    default:
      throw scanner.error(
        "expected a time such as @2026-01-02T03:04:05Z, @location(…) or @reference(…)",
        at: start
      )
    }
  }

  /// `symbol` and the white space around it.
  mutating func expect(_ symbol: StaticString) throws(PredicateError) {
    scanner.skipSpace()
    guard scanner.take(symbol) else { throw scanner.expected("'\(symbol)'") }
    scanner.skipSpace()
  }

  private mutating func degrees() throws(PredicateError) -> Double {
    switch try scanner.number() {
    case .int64(let value): Double(value)
    case .double(let value): value
    default: 0
    }
  }

  private mutating func time(from start: Int) throws(PredicateError) -> Timestamp {
    let year = scanner.takeDigits(4)
    let month = scanner.take("-") ? scanner.takeDigits(2) : nil
    let day = scanner.take("-") ? scanner.takeDigits(2) : nil
    let hour = scanner.take("T") ? scanner.takeDigits(2) : nil
    let minute = scanner.take(":") ? scanner.takeDigits(2) : nil
    let second = scanner.take(":") ? scanner.takeDigits(2) : nil
    let nanosecond = scanner.take(".") ? scanner.takeFraction() : 0
    let isComplete = scanner.take("Z")
    guard
      isComplete, let year, let month, let day, let hour, let minute, let second, let nanosecond,
      let time = Timestamp(
        year: year,
        month: month,
        day: day,
        hour: hour,
        minute: minute,
        second: second,
        nanosecond: nanosecond
      )
    else {
      throw scanner.error(
        "expected a time in UTC, 0001 to 9999, as in @2026-01-02T03:04:05Z or …:05.678Z, "
          + "with at most nine digits after the point",
        at: start
      )
    }
    return time
  }
}

extension PredicateScanner {
  /// So many digits as a number; `nil` when there are fewer.
  mutating func takeDigits(_ count: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<count {
      guard let byte = next, byte.isASCIIDigit else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      advance()
    }
    return value
  }

  /// One to nine digits after a decimal point, in billionths; `nil` when there is none, or a tenth.
  mutating func takeFraction() -> Int64? {
    var (value, unit): (Int64, Int64) = (0, 1_000_000_000)
    while let byte = next, byte.isASCIIDigit {
      guard unit > 1 else { return nil }
      unit /= 10
      value += Int64(byte - UInt8(ascii: "0")) * unit
      advance()
    }
    return unit < 1_000_000_000 ? value : nil
  }

  /// The values of the hexadecimal digits that stand here.
  mutating func takeHexadecimal() -> [UInt8] {
    var digits: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte - UInt8(ascii: "A") + 10)
      default: return digits
      }
      advance()
    }
    return digits
  }
}
