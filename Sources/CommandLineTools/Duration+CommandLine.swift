extension Duration {
  /// Parses a duration: `500ms`, `10s`, `2m`, `1.5h`, `3d`, or a number of seconds.
  ///
  /// Returns `nil` if the text is not a duration above zero.
  package init?(commandLine text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let secondsPerUnit: [Substring: Double] = [
      "ms": 0.001, "": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400,
    ]
    guard let count = Double(digits), let unit = secondsPerUnit[text[digits.endIndex...]],
      count * unit > 0, count * unit < 1e9
    else { return nil }
    self = .seconds(count * unit)
  }
}
