/// The elements of a repeated message member of a C struct.
func elements<T>(
  _ count: Int,
  _ start: UnsafeMutablePointer<UnsafeMutablePointer<T>?>?
) -> [UnsafeMutablePointer<T>] {
  UnsafeBufferPointer(start: start, count: count).compactMap { $0 }
}

/// The elements of a repeated string member of a C struct.
func strings(
  _ count: Int,
  _ start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> [String] {
  UnsafeBufferPointer(start: start, count: count).map { string($0) }
}

/// A string member of a C struct; empty when absent.
func string(_ pointer: UnsafePointer<CChar>?) -> String {
  pointer.map { String(cString: $0) } ?? ""
}

/// A string member of a C struct; empty when absent.
func string(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
  string(UnsafePointer(pointer))
}
