internal import TidingsHTTP

/// The part of a URL behind `?`.
package struct QueryString: Sendable {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// The decoded value of a name, the first if there are several; `nil`: it is not there, empty or not UTF-8.
  package subscript(name: String) -> String? {
    guard let range = value(of: name), !range.isEmpty else { return nil }
    let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    let end = text.utf8.index(start, offsetBy: range.count)
    return PercentCoding.decode(text[start..<end])
  }

  /// Where the value of a name is, in bytes.
  private func value(of name: String) -> Range<Int>? {
    var (text, name) = (text, name)
    return text.withUTF8 { text in
      name.withUTF8 { name in
        var start = 0
        while start < text.count {
          let pair = text[start...].prefix { $0 != UInt8(ascii: "&") }
          defer { start = pair.endIndex + 1 }
          guard pair.starts(with: name) else { continue }
          let rest = pair.dropFirst(name.count)
          if rest.first == UInt8(ascii: "=") { return rest.startIndex + 1..<rest.endIndex }
          if rest.isEmpty { return rest.startIndex..<rest.endIndex }
        }
        return nil
      }
    }
  }
}
