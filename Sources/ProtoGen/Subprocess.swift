internal import Glibc

/// Runs another program.
enum Subprocess {
  /// Runs a program with bytes on its standard input.
  ///
  /// - Returns: What it wrote to standard output.
  static func run(_ program: String, input: [UInt8]) throws(GenerationError) -> [UInt8] {
    // A file holds the input, so that neither side waits for the other with a full pipe.
    guard let file = tmpfile() else { throw GenerationError("no temporary file can be made") }
    defer { fclose(file) }
    guard PluginIO.write(input, to: fileno(file)), lseek(fileno(file), 0, SEEK_SET) == 0 else {
      throw GenerationError("the temporary file cannot be written")
    }
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw GenerationError("no pipe can be made") }
    defer { close(ends[0]) }
    let child: pid_t
    do {
      defer { close(ends[1]) }
      child = try spawn(program, input: fileno(file), output: ends)
    }
    let output = PluginIO.read(ends[0])
    var status: CInt = 0
    guard PluginIO.retrying({ Int(waitpid(child, &status, 0)) }) >= 0, status == 0 else {
      throw GenerationError("\(program) failed")
    }
    return output
  }

  private static func spawn(
    _ program: String,
    input: CInt,
    output: [CInt]
  ) throws(GenerationError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    posix_spawn_file_actions_addclose(&actions, output[0])
    let memory = CMemory()
    let arguments = memory.allocate(UnsafeMutablePointer<CChar>?.self, count: 2)
    arguments[0] = memory.copy(program)
    arguments[1] = nil
    var child: pid_t = 0
    let code = posix_spawnp(&child, program, &actions, nil, arguments, environ)
    guard code == 0 else {
      throw GenerationError(
        "\(program) cannot be run: \(String(cString: strerror(code))). Install protobuf-c's compiler "
          + "(Debian: protobuf-c-compiler), or name it with the option protoc_gen_c=PATH"
      )
    }
    return child
  }
}
