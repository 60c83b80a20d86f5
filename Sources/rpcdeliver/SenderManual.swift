import CommandLineTools

/// `rpcdeliver man`: the page rpcdeliver(8), from the data of help.
enum SenderManual {
  static var page: ManualPage {
    ManualPage(
      of: SenderArguments.program.command,
      .init(
        name: "rpcdeliver",
        section: 8,
        summary: "sends notifications of Tidings to webhooks, Web Push, APNs and FCM",
        source: "rpcdeliver \(ProgramVersion.rpcdeliver.version)",
        date: "2026-11-25"
      ),
      environmentPrefix: SenderArguments.program.environmentPrefix,
      seeAlso: [("rpcd", 8), ("rpcgw", 8), ("rpcctl", 1)]
    )
  }
}
