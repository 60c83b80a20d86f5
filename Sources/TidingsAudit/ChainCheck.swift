/// Whether the lines of the files of one kind fit together, oldest first.
///
/// A value: lines go in, findings come out. What follows a finding is checked from there on, so that
/// one change is one finding.
public struct ChainCheck: Sendable {
  /// Most findings of a kind that are listed.
  public static let findingsMax = 100
  /// What crashes leave between two lines is shorter.
  private static let tornBytesMax = 1 << 20

  /// What does not fit together, with file and line.
  public private(set) var problems: [String] = []
  /// Problems, those included that are not listed.
  public private(set) var problemCount = 0
  /// What is worth knowing and no sign of a change.
  public private(set) var remarks: [String] = []
  /// Lines with a place in the chain.
  public private(set) var lineCount: UInt64 = 0
  /// The number of the first of them; 0: there is none.
  public private(set) var firstNumber: UInt64 = 0
  /// The last of them.
  public private(set) var head = ChainHead.none

  /// The line before the last one: what follows may say that the last one is incomplete.
  private var before = ChainHead.none
  /// Lines without a place in the chain since the last that has one.
  private var strangers: [String] = []
  /// Their bytes, as far as a crash may have left them.
  private var strangerBytes: [UInt8] = []
  private var strangerCount: UInt64 = 0
  private var hasChain = false
  /// Heads that were kept elsewhere, which must be among the lines.
  private var kept: [ChainHead]

  /// Nothing checked yet.
  ///
  /// - Parameter kept: Heads that were kept elsewhere.
  public init(kept: [ChainHead] = []) { self.kept = kept }

  /// Checks the next line.
  ///
  /// - Parameters:
  ///   - line: With its line feed.
  ///   - file: The name of its file.
  ///   - row: Which line of the file it is, from 1.
  public mutating func add(_ line: ArraySlice<UInt8>, file: String, row: Int) {
    let hash = ChainHead.hash(of: line)
    guard let link = ChainLink(of: line), line.hasSuffix("}\n") else {
      return addStranger(line, "\(file), line \(row)")
    }
    follow(link, "\(file), line \(row)")
    before = head
    head = ChainHead(number: link.number, hash: hash)
    if !hasChain { (hasChain, firstNumber) = (true, link.number) }
    lineCount += 1
    (strangers, strangerBytes, strangerCount) = ([], [], 0)
    for head in kept where head.number == link.number && head.hash != hash {
      report("\(file), line \(row): it is not the line \(head.number) whose checksum was kept")
    }
    kept.removeAll { $0.number == link.number }
  }

  /// Takes the end of the newest file.
  ///
  /// - Parameter incomplete: Where bytes without a line feed are at its end; `nil`: there are none.
  public mutating func finish(incomplete: String? = nil) {
    if hasChain {
      for stranger in strangers {
        report("\(stranger): it is no line of rpcd: inserted or changed")
      }
    } else if strangerCount > 0 {
      report("no line has a place in the chain: they are older than it, or it was removed")
    }
    for head in kept {
      if hasChain, head.number < firstNumber {
        remark("line \(head.number) was in a file that is no longer kept: it cannot be compared")
      } else {
        report("line \(head.number), whose checksum was kept, is missing")
      }
    }
    if let incomplete {
      remark("\(incomplete) is incomplete: rpcd is writing it, or a crash has cut it")
    }
  }

  /// A file that is older than the newest one ends within a line.
  public mutating func addCut(file: String, row: Int) {
    report("\(file), line \(row): it was cut off")
  }

  /// Something other than a line is wrong.
  public mutating func report(_ problem: String) {
    problemCount += 1
    if problems.count < Self.findingsMax { problems.append(problem) }
  }

  private mutating func remark(_ text: String) {
    if remarks.count < Self.findingsMax { remarks.append(text) }
  }

  private mutating func addStranger(_ line: ArraySlice<UInt8>, _ location: String) {
    strangerCount += 1
    if !hasChain {
      // Lines from before there was a chain come first; only the last of them is in it.
      if strangerCount == 1 {
        remark("\(location): lines from before there was a chain begin here: nothing protects them")
      }
      before = head
      head = ChainHead(number: 0, hash: ChainHead.hash(of: line))
      (strangers, strangerBytes) = ([location], Array(line))
    } else {
      if strangers.count < Self.findingsMax { strangers.append(location) }
      if strangerBytes.count <= Self.tornBytesMax { strangerBytes += line }
    }
  }

  private mutating func follow(_ link: ChainLink, _ location: String) {
    if let torn = link.torn { acceptTorn(torn, location) }
    guard hasChain || strangerCount > 0 else {
      if link.number == 1, link.previous != ChainHead.none.hash {
        report("\(location): the lines before it are missing")
      }
      return
    }
    let next = head.number + 1
    let fits = link.number == next && link.previous == head.hash
    if hasChain {
      let what = fits ? "was inserted" : "was changed or inserted"
      for stranger in strangers { report("\(stranger): it is no line of rpcd: it \(what)") }
    }
    if fits { return }
    // A line that was changed so that it is no line took a number.
    if hasChain, strangerCount > 0, (next...next + strangerCount).contains(link.number) { return }
    if link.number > next {
      report("\(location): lines \(next) to \(link.number - 1) are missing before it")
    } else if link.number < next {
      report(
        "\(location): expected number \(next), found \(link.number): lines were inserted or moved"
      )
    } else {
      report("\(location): the line before it was changed")
    }
  }

  /// The line before is what a crash left, and rpcd noted that when it started again.
  private mutating func acceptTorn(_ torn: [UInt8], _ location: String) {
    if strangerCount > 0, ChainHead.hash(of: strangerBytes[...]) == torn {
      if !hasChain { head = before }
      (strangers, strangerBytes, strangerCount) = ([], [], hasChain ? 0 : strangerCount - 1)
    } else if head.hash == torn {
      // It was cut where it looks complete.
      head = before
      lineCount = lineCount > 0 ? lineCount - 1 : 0
    } else {
      return report("\(location): the incomplete line before it was changed")
    }
    remark("\(location): what is before it was cut by a crash, as rpcd noted")
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { suffix($0.count).elementsEqual($0) }
  }
}
