internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// The records of files, folders and standard input, one after the other.
///
/// A file whose first line is a whole value is read line by line, however long it is, and the lines of
/// an export that are no records are passed over. Any other is read whole.
struct RecordFiles {
  /// Largest file that is not JSON lines.
  static let wholeFileBytesMax = 64 << 20

  /// `-f`, the same for all verbs that take records from files.
  static let option = OptionKey<[String]>(
    list: "file",
    letter: "f",
    value: "FILE|-|DIR",
    takesMany: true,
    completion: .files,
    "Files with records: JSON or JSON lines; - is standard input, DIR all its .json and .jsonl."
  )

  private let input: Input
  private let zoneID: TidingsV1.ZoneID
  private var rest: ArraySlice<String>
  private var reader: LineReader?
  private var path = ""
  private var waiting: ArraySlice<JSONValue> = []
  private var count = 0

  /// Records from paths, in their order; the zone is that of records that name none.
  init(_ paths: [String], _ input: Input, zoneID: TidingsV1.ZoneID) throws {
    self.input = input
    self.zoneID = zoneID
    rest = try paths.flatMap(Self.files)[...]
  }

  /// The next record with its line; `nil`: there is none.
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

  /// The next records, at most so many; none: there are no more.
  mutating func next(_ countMax: Int) throws -> [TidingsV1.Record] {
    var records: [TidingsV1.Record] = []
    while records.count < countMax, let record = try next() { records.append(record) }
    return records
  }

  /// Reads a line, or all of a file that has none; `false`: it is at its end.
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
          "\(path) is too large for a file that is not JSON lines: a record on each line is read "
            + "piece by piece"
        )
      }
    }
    do {
      waiting = try JSONValue.sequence(parsing: bytes).flatMap { $0.array ?? [$0] }[...]
    } catch {
      throw UsageError("\(path) is not JSON: \(error)")
    }
  }

  /// A path, or the files of a folder by name.
  private static func files(_ path: String) throws -> [String] {
    guard Folder.isThere(path) else { return [path] }
    do {
      let names = try Folder.names(path).filter { $0.hasSuffix(".json") || $0.hasSuffix(".jsonl") }
      guard !names.isEmpty else { throw UsageError("'\(path)' has no .json and no .jsonl files") }
      return names.sorted().map { "\(path)/\($0)" }
    } catch let error as FileError {
      throw LocalFailure("\(error)")
    }
  }
}
