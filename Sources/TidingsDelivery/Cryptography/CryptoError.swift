/// libcrypto could not do something.
package struct CryptoError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Refuses a failure of libcrypto.
  static func check(_ isDone: Bool, _ what: @autoclosure () -> String) throws(CryptoError) {
    guard isDone else { throw CryptoError("libcrypto: \(what())") }
  }
}
