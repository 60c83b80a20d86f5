import Foundation

/// Makes requests as protoc would, from the checked-in descriptor set.
enum FixtureRequest {
  /// The folder `Tests`.
  static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// An encoded CodeGeneratorRequest.
  static func encoded(_ files: [String], _ parameter: String) throws -> [UInt8] {
    let set = try [UInt8](
      Data(contentsOf: tests.appending(path: "ProtoGenTests/Protos/fixture.pb"))
    )
    var request: [UInt8] = []
    for file in files { request += field(1, Array(file.utf8)) }
    request += field(2, Array(parameter.utf8))
    // FileDescriptorSet.file is number 1, CodeGeneratorRequest.proto_file number 15.
    var rest = set[...]
    while rest.popFirst() != nil {
      let count = varint(&rest)
      request += field(15, Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return request
  }

  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    var bytes = [number << 3 | 2]
    var count = content.count
    while count > 127 {
      bytes.append(UInt8(count & 127 | 128))
      count >>= 7
    }
    return bytes + [UInt8(count)] + content
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> Int {
    var value = 0
    var shift = 0
    while let byte = bytes.popFirst() {
      value |= Int(byte & 127) << shift
      shift += 7
      if byte < 128 { break }
    }
    return value
  }
}
