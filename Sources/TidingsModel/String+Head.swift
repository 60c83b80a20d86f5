extension String {
  /// The first code points, of at most so many bytes in UTF-8.
  package func head(bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var head = String.UnicodeScalarView()
    var bytes = 0
    for scalar in unicodeScalars {
      bytes += UTF8.width(scalar)
      if bytes > bytesMax { break }
      head.append(scalar)
    }
    return String(head)
  }
}
