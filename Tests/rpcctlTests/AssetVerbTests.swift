import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsFiles
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct AssetVerbTests {
  private let folder: TemporaryFolder
  private let content = [UInt8]("hello".utf8)

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(content, to: "photo")
  }

  private var asset: TidingsV1.Asset {
    .init(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  @Test("an upload prints the value for a record's field")
  func upload() async throws {
    let run = await ProgramRun("upload-asset", folder.file("photo"), "--database", "public") { _ in
      [TidingsV1.UploadAssetResponse(offset: 5, complete: true).encoded()]
    }
    #expect(run.exitCode == .success && run.err == "")
    let call = try #require(run.calls.first)
    let request = try TidingsV1.UploadAssetRequest(decoding: call.request)
    #expect(request.asset == asset && request.chunk == content)
    #expect(request.databaseID?.scope == .public)

    let save = await ProgramRun(
      "modify-records",
      "--save",
      #"{"recordType":"T","recordName":"a","fields":{"photo":\#(run.out)}}"#
    ) { _ in [TidingsV1.ModifyRecordsResponse().encoded()] }
    let saved = try TidingsV1.ModifyRecordsRequest(decoding: #require(save.calls.first).request)
    #expect(saved.recordsToSave[0].fields["photo"]?.value == .assetValue(asset))
  }

  @Test("a file that cannot be read is reported")
  func missingFile() async throws {
    let run = await ProgramRun("upload-asset", folder.file("none"))
    #expect(run.exitCode == .localFailure)
    #expect(run.err == "rpcctl: cannot open '\(folder.file("none"))': No such file or directory\n")
    let folderRun = await ProgramRun("upload-asset", folder.path)
    #expect(folderRun.exitCode == .localFailure && folderRun.err.contains("no file with content"))
  }

  @Test("a download by record and field, or by checksum")
  func download() async throws {
    let asset = asset
    let content = content
    let server: ScriptedTransport.Answer = { call throws(RPCError) in
      switch call.method.name {
      case "FetchRecords":
        let record = TidingsV1.Record(
          recordID: .init(recordName: "h1"),
          recordType: "T",
          fields: [
            "photos": .init(value: .assetListValue(.init(values: [.init(), asset]))),
            "name": .init(value: .stringValue("x")),
          ]
        )
        return [
          TidingsV1.FetchRecordsResponse(results: [.init(outcome: .record(record))]).encoded()
        ]
      default:
        return [
          TidingsV1.DownloadAssetResponse(offset: 0, chunk: Array(content[..<2])).encoded(),
          TidingsV1.DownloadAssetResponse(offset: 2, chunk: Array(content[2...])).encoded(),
        ]
      }
    }
    let byField = ["--record", "h1", "--field", "photos", "--index", "1"]
    for names in [byField, [asset.checksum.hexadecimal], [Base64.encode(asset.checksum)]] {
      try? Folder.remove(folder.file("copy"))
      let run = await ProgramRun(
        list: ["download-asset", "-O", folder.file("copy")] + names,
        answer: server
      )
      let printed = #"{"path":"\#(folder.file("copy"))","bytes":5}"# + "\n"
      #expect(run.exitCode == .success && run.out == printed && run.err == "", "\(run.err)")
      #expect(try File(path: folder.file("copy"), .read).read(at: 0, count: 100) == content)
    }
    let wrong = [
      (["--record", "h1", "--field", "name"], "field 'name' of record 'h1' has no asset"),
      (byField.dropLast() + ["2"], "has 2 assets: use --index 0 to"),
      (["abc"], "invalid checksum 'abc'"),
      (["--record", "h1"], "no asset: use a CHECKSUM"),
      ([], "no asset: use a CHECKSUM"),
    ]
    for (names, message) in wrong {
      let run = await ProgramRun(
        list: ["download-asset", "-O", folder.file("copy")] + names,
        answer: server
      )
      #expect(run.exitCode != .success && run.err.contains(message), "\(run.err)")
    }
    let nowhere = await ProgramRun("download-asset", "--record", "h1", "--field", "photos")
    #expect(nowhere.exitCode == .usage && nowhere.err.contains("--file"))
    let inFolder = await ProgramRun("download-asset", "-O", folder.path, asset.checksum.hexadecimal)
    #expect(inFolder.exitCode == .usage && inFolder.err.contains("is a folder"))
    #expect(inFolder.calls.isEmpty)
  }

  @Test("a table has each file with its checksum, as accepted in records")
  func uploadTable() async throws {
    let checksum = asset.checksum.hexadecimal
    let run = await ProgramRun("upload-asset", folder.file("photo"), format: .table) { _ in
      [TidingsV1.UploadAssetResponse(offset: 5, complete: true).encoded()]
    }
    let row = run.out.split(separator: "\n").dropFirst().first.map(String.init) ?? ""
    #expect(row == "\(folder.file("photo"))  5     \(checksum)")
    let several = await ProgramRun(
      list: ["upload-asset", folder.file("photo"), folder.file("photo"), folder.file("none")],
      format: .json
    ) { _ in [TidingsV1.UploadAssetResponse(offset: 5, complete: true).encoded()] }
    #expect(try JSONValue(parsing: several.out).array?.count == 2)
    #expect(several.exitCode == .localFailure)
    let json = try JSONValue(parsing: #"{"asset":{"checksum":"\#(checksum)","size":5}}"#)
    #expect(try FieldValueJSON().value(json, "f").value == .assetValue(asset))
  }

  @Test("the progress of a transfer is shown on a terminal only")
  func progress() {
    func shown(showsProgress: Bool) -> String {
      let messages = Recorder()
      let output = Output(
        format: .table,
        terminals: (false, showsProgress),
        writeData: { _ in },
        writeMessage: { messages.append($0) }
      )
      let now = Mutex(ContinuousClock.now)
      let line = TransferLine("film", output, clock: { now.withLock { $0 } })
      for megabytes in [0, 1, 5] as [UInt64] {
        line.update(
          .init(
            step: .transferring,
            bytesDone: megabytes * 1_000_000,
            bytesTotal: 10_000_000
          )
        )
        now.withLock { $0 += .milliseconds(megabytes == 0 ? 1 : 999) }
      }
      line.update(.init(step: .transferring, bytesDone: 6_000_000, bytesTotal: nil))
      line.end()
      return messages.text
    }
    let lines = shown(showsProgress: true).split(separator: "\r\u{1b}[K").map(String.init)
    #expect(
      lines == [
        "film [------------------------]   0%  0.0 of 10.0 MB",
        "film [############------------]  50%  5.0 of 10.0 MB, 5.0 MB/s",
        "film 6.0 MB, 3.0 MB/s",
      ]
    )
    #expect(shown(showsProgress: false) == "")
  }
}
