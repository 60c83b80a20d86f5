extension Unicode.Scalar {
  /// A terminal obeys it, or shows the text around it in another order or as if it were not there: control
  /// characters, marks of direction, separators of lines, spaces without width.
  ///
  /// Joiners stay: emoji and some scripts need them.
  public var misleadsReaders: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
      true
    default: false
    }
  }
}

extension String {
  /// The text with escapes in place of what misleads its readers, like `\u{202E}`.
  ///
  /// - Parameter keepsLines: Line feeds and tabs stay as they are.
  /// - Returns: The text.
  public func terminalText(keepsLines: Bool = false) -> String {
    func stays(_ scalar: Unicode.Scalar) -> Bool {
      !scalar.misleadsReaders || keepsLines && (scalar == "\n" || scalar == "\t")
    }
    // Most texts are plain, and tables are long.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || keepsLines && $0 == 0x0A }) { return self }
    guard !unicodeScalars.allSatisfy(stays) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if stays(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += scalar.escaped(asASCII: true)
      }
    }
  }
}
