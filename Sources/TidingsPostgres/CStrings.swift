#if PostgreSQL
internal import Glibc

/// Lends texts as an array of C strings that ends with null.
enum CStrings {
  static func with<Value>(
    _ texts: [String],
    _ body: ([UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}
#endif
