internal import DescriptorProtoC

/// The comments of a .proto file, by the path of what they describe.
struct Comments {
  private var byPath: [[Int32]: [String]] = [:]

  init(_ info: UnsafeMutablePointer<Google__Protobuf__SourceCodeInfo>?) {
    guard let info = info?.pointee else { return }
    for location in elements(info.n_location, info.location) {
      let path = Array(
        UnsafeBufferPointer(start: location.pointee.path, count: location.pointee.n_path)
      )
      let leading = Self.lines(string(location.pointee.leading_comments))
      let trailing = Self.lines(string(location.pointee.trailing_comments))
      let separator = leading.isEmpty || trailing.isEmpty ? [] : [""]
      let lines = leading + separator + trailing
      if !lines.isEmpty { byPath[path] = lines }
    }
  }

  /// The lines that describe a declaration, without comment marks.
  subscript(path: [Int32]) -> [String] { byPath[path] ?? [] }

  /// Comments begin with the blank that follows `//`.
  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = line.hasPrefix(" ") ? line.dropFirst() : line
      while let last = line.last, last.isWhitespace { line.removeLast() }
      return String(line)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return Array(lines.drop { $0.isEmpty })
  }
}
