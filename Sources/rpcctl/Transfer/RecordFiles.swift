internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// Reads the records of files, folders and standard input, in order.
///
/// A file whose first line is a complete value is read line by line, whatever its size, and the lines
/// of an export that are not records are ignored. Any other file is read at once.
struct RecordFiles {
  /// Largest file that is not JSON lines.
  static let wholeFileBytesMax = 64 << 20

  /// `-f`, shared by all verbs that read records from files.
  static let option = OptionKey<[String]>(
    list: "file",
    letter: "f",
    value: "FILE|-|DIR",
    takesMany: true,
    completion: .files,
    "Files with records, as JSON or JSON lines; - is standard input; of a folder, its .json and .jsonl files."
  )

  private let input: Input
  private let zoneID: TidingsV1.ZoneID
  private var rest: ArraySlice<String>
  private var reader: LineReader?
  private var path = ""
  private var waiting: ArraySlice<JSONValue> = []
  private var count = 0

  /// The records of paths, in order; the zone is that of records without one.
  init(_ paths: [String], _ input: Input, zoneID: TidingsV1.ZoneID) throws {
    self.input = input
    self.zoneID = zoneID
    rest = try paths.flatMap(Self.files)[...]
  }

  /// Returns the next record with its line; `nil` at the end.
  mutating func next() throws -> TidingsV1.Record? {
    while true {
      if let json = waiting.popFirst() {
        count += 1
        let record = try RecordJSON.record(json, "\(path), record \(count)", zoneID: zoneID)
        return record
      }
      if reader != nil, try readLine() { continue }
      guard let path = rest.popFirst() else { return nil }
      reader = LineReader(try input.open(path == "-" ? nil : path, 0))
      (self.path, count) = (path == "-" ? "standard input" : path, 0)
    }
  }

  /// Returns the next records, up to a number; empty at the end.
  mutating func next(_ countMax: Int) throws -> [TidingsV1.Record] {
    var records: [TidingsV1.Record] = []
    while records.count < countMax, let record = try next() { records.append(record) }
    return records
  }

  /// Reads a line, or a whole file that is not JSON lines; `false` at the end.
  private mutating func readLine() throws -> Bool {
    guard let line = try reader?.next(), let reader else {
      self.reader = nil
      return false
    }
    guard case .text(let range) = line else {
      throw UsageError(
        "\(path), line \(reader.number): longer than \(LineReader.lineBytesMax) bytes"
      )
    }
    let text = reader.buffer[range]
    if TransferMarker.isMarker(reader.buffer, range) || text.allSatisfy({ $0 <= 0x20 }) {
      return true
    }
    do {
      let json = try JSONValue(parsing: Array(text))
      waiting += json.array ?? [json]
    } catch {
      guard count == 0 else {
        throw UsageError("\(path), line \(reader.number) is not JSON: \(error)")
      }
      try readWhole(Array(text))
    }
    return true
  }

  private mutating func readWhole(_ begin: [UInt8]) throws {
    var bytes = begin
    while case .text(let range)? = try reader?.next(), let reader {
      bytes += [UInt8(ascii: "\n")] + reader.buffer[range]
      guard bytes.count <= Self.wholeFileBytesMax else {
        throw UsageError(
          "\(path) is too large to be read at once: write one record per line, which is read "
            + "line by line"
        )
      }
    }
    do {
      waiting = try JSONValue.sequence(parsing: bytes).flatMap { $0.array ?? [$0] }[...]
    } catch {
      throw UsageError("\(path) is not JSON: \(error)")
    }
  }

  /// Returns the path, or the files of a folder by name.
  private static func files(_ path: String) throws -> [String] {
    guard Folder.isThere(path) else { return [path] }
    do {
      let names = try Folder.names(path).filter { $0.hasSuffix(".json") || $0.hasSuffix(".jsonl") }
      guard !names.isEmpty else { throw UsageError("'\(path)' has no .json or .jsonl files") }
      return names.sorted().map { "\(path)/\($0)" }
    } catch let error as FileError {
      throw LocalFailure("\(error)")
    }
  }
}
