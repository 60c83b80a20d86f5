/// What a client under test did instead of answering.
enum ClientFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It ended: how, in words.
  case ended(String)
  /// It did not answer in time, in milliseconds.
  case silent(Int)
  /// It wrote a length that no frame has, in bytes.
  case tooLarge(Int)
  /// It wrote what is no answer.
  case junk(String)

  var description: String {
    switch self {
    case .ended(let how): "the client ended instead of answering: \(how)"
    case .silent(let milliseconds): "the client did not answer within \(milliseconds) ms"
    case .tooLarge(let bytes):
      "the client announced an answer of \(bytes) bytes, which no answer has"
    case .junk(let what): "the client wrote \(what)"
    }
  }
}
