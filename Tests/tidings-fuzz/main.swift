import FuzzTargets

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Built by tools/fuzz with -sanitize=fuzzer, libFuzzer calls the target with ever new inputs; else
// the arguments after the target's name are files, which are run one by one.

/// The target that TIDINGS_FUZZ_TARGET names.
let target: FuzzTarget = {
  let name = getenv("TIDINGS_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
  print("TIDINGS_FUZZ_TARGET is one of:")
  for target in FuzzTarget.all { print(target.name) }
  exit(2)
}()

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.run(UnsafeRawBufferPointer(start: bytes, count: count))
  } catch {
    fatalError("\(target.name): \(error)")
  }
  return 0
}

typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
typealias Driver =
  @convention(c) (
    UnsafeMutablePointer<CInt>,
    UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    Callback
  ) -> CInt

// Without the sanitizer there is no such function.
if let symbol = dlsym(nil, "LLVMFuzzerRunDriver") {
  var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
  exit(unsafeBitCast(symbol, to: Driver.self)(&count, &arguments, testOneInput))
}
for path in CommandLine.arguments.dropFirst() {
  guard let file = fopen(path, "rb") else {
    print("cannot open \(path)")
    exit(1)
  }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  fclose(file)
  _ = bytes.withUnsafeBufferPointer { testOneInput($0.baseAddress, count) }
}
