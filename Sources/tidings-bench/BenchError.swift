import CZeroMQ
import Glibc

/// Why a benchmark could not run.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// A failed call of libzmq.
  init(zmq action: String) {
    self.init("\(action): \(String(cString: zmq_strerror(zmq_errno())))")
  }

  /// A failed call of the system.
  init(system action: String, code: Int32 = errno) {
    self.init("\(action): \(String(cString: strerror(code)))")
  }
}
