internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// How far an export came, as its own file tells.
struct ExportState: Equatable {
  /// The zones that were begun: where each goes on.
  struct Zone: Equatable {
    var token: [UInt8] = []
    var isDone = false
  }

  /// The first line; `nil`: the file has none.
  var header: JSONObject?
  var zones: [String: Zone] = [:]
  /// Records of whole pages.
  var recordCount = 0
  /// Where the last whole page ends; what stands behind it is written anew.
  var bytesCount = 0
  /// The file has its last line.
  var isComplete = false

  /// Nothing is there yet.
  init() {}

  /// Reads a file that an export wrote, as far as it came.
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
      case .unknown?, nil: throw LocalFailure("line \(reader.number) is none of an export")
      }
      countInPage = 0
      bytesCount = reader.offset
    }
  }
}

/// Where an export goes: a file, or standard output.
struct ExportSink {
  private static let bytesMax = 1 << 20

  private let file: OutputFile?
  private let output: Output
  /// It can be taken up again.
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

  /// Writes what was appended.
  mutating func flush() throws {
    if let file { try file.write(bytes) } else { output.write(bytes: bytes) }
    bytes.removeAll(keepingCapacity: true)
  }
}
