internal import CWebFiles

/// The files of `Web`, which are in the program.
enum WebFiles {
  /// Each file by its path below `Web`.
  static let contents: [String: StaticContent] = {
    let files = UnsafeBufferPointer(
      start: tidings_web_files_first(),
      count: tidings_web_file_count
    )
    let contents = files.map { file in
      let name = String(cString: file.name)
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
      return (name, StaticContent(bytes: bytes, type: type(of: name)))
    }
    return Dictionary(uniqueKeysWithValues: contents)
  }()

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "html": "text/html; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }
}
