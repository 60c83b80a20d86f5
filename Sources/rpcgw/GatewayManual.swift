import CommandLineTools

/// `rpcgw man`: the page rpcgw(8), from the data of help.
enum GatewayManual {
  static var page: ManualPage {
    ManualPage(
      of: GatewayArguments.program.command,
      .init(
        name: "rpcgw",
        section: 8,
        summary: "the web gateway of Tidings",
        source: "rpcgw \(ProgramVersion.rpcgw.version)",
        date: "2026-11-25"
      ),
      environmentPrefix: GatewayArguments.program.environmentPrefix,
      seeAlso: [("rpcd", 8), ("rpcdeliver", 8), ("rpcctl", 1)]
    )
  }
}
