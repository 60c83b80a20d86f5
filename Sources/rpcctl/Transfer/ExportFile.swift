internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// The state of an export, read from its own file.
struct ExportState: Equatable {
  /// The started zones with the tokens to continue from.
  struct Zone: Equatable {
    var token: [UInt8] = []
    var isDone = false
  }

  /// The first line; `nil`: the file has none.
  var header: JSONObject?
  var zones: [String: Zone] = [:]
  /// Records in complete pages.
  var recordCount = 0
  /// The end of the last complete page; what follows is overwritten.
  var bytesCount = 0
  /// The file has its last line.
  var isComplete = false

  /// The file is empty or does not exist.
  init() {}

  /// Reads the file of an export, as far as it is complete.
  init(reading source: any ByteSource) throws {
    var reader = LineReader(source)
    var countInPage = 0
    while let line = try reader.next(), reader.isComplete {
      guard case .text(let range) = line, TransferMarker.isMarker(reader.buffer, range) else {
        countInPage += 1
        continue
      }
      switch try? TransferMarker(reader.buffer[range]) {
      case .header(let object)?: header = object
      case .zone(let name)?: zones[name] = zones[name] ?? Zone()
      case .page(let name, let token, let moreComing)?:
        zones[name] = Zone(token: token, isDone: !moreComing)
        recordCount += countInPage
      case .end?: isComplete = true
      case .deleted?: continue
      case .unknown?, nil: throw LocalFailure("line \(reader.number) is not part of an export")
      }
      countInPage = 0
      bytesCount = reader.offset
    }
  }
}

/// The target of an export: a file, or standard output.
struct ExportSink {
  private static let bytesMax = 1 << 20

  private let file: OutputFile?
  private let output: Output
  /// It can be resumed.
  var isFile: Bool { file != nil }
  private var bytes: [UInt8] = []

  init(_ file: OutputFile?, _ output: Output) {
    self.file = file
    self.output = output
  }

  mutating func append(_ more: [UInt8]) throws {
    bytes += more
    if bytes.count >= Self.bytesMax { try flush() }
  }

  /// Writes the buffered data.
  mutating func flush() throws {
    if let file { try file.write(bytes) } else { output.write(bytes: bytes) }
    bytes.removeAll(keepingCapacity: true)
  }
}
