internal import TidingsProto
internal import TidingsProtobuf

extension FuzzTarget {
  /// What is decoded before anybody knows who sends it.
  static let wire = [
    FuzzTarget("header") { bytes in
      guard let header = try? TidingsRpcV1.RequestHeader(decoding: Array(bytes)) else { return }
      let again = try TidingsRpcV1.RequestHeader(decoding: header.encoded())
      try require(again == header, "encoded it is another header: \(header)")
    },
    FuzzTarget("requests") { bytes in
      guard let first = bytes.first else { return }
      try CallTable.entry(first).checkRequest(Array(bytes.dropFirst()))
    },
  ]
}
