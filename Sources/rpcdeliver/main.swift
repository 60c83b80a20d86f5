import CommandLineTools
import Glibc
import TidingsDelivery

umask(0o077)
signal(SIGPIPE, SIG_IGN)

do {
  if ProgramArguments.own.first == ManualPage.word {
    print(SenderManual.page.text, terminator: "")
    endProcess(0)
  }
  guard let settings = try SenderArguments.settings(ProgramArguments.own) else { endProcess(0) }
  _ = DescriptorLimit.raise()
  let stopSignals = StopSignals()
  let sender = try await Sender.make(settings) { complain("rpcdeliver: \($0)") }
  print("rpcdeliver ready")
  fflush(nil)
  if settings.keys == nil { complain("rpcdeliver: development mode: the server must be in it too") }
  async let isOver: Void = sender.run()
  _ = await stopSignals.next()
  sender.stop()
  await isOver
  endProcess(0)
} catch let error as UsageError {
  complain("rpcdeliver: \(error)\nTry 'rpcdeliver --help'.")
  endProcess(2)
} catch {
  complain("rpcdeliver: \(error)")
  endProcess(1)
}

func complain(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
