import CommandLineTools
import Testing

@Suite struct SuggestionTests {
  @Test("similar words are suggested, all with the same distance")
  func near() {
    #expect(didYouMean("tabel", among: ["table", "json"]) == "; did you mean table?")
    #expect(didYouMean("bat", among: ["cat", "bar", "dog"]) == "; did you mean cat or bar?")
    #expect(didYouMean("xyzzy", among: ["cat", "dog"]) == "")
    #expect(didYouMean("a", among: []) == "")
  }

  @Test("a prefix counts if no word is similar")
  func begins() {
    let words = ["fetch-records", "fetch-zones", "watch"]
    #expect(didYouMean("fetch", among: words) == "; did you mean fetch-records or fetch-zones?")
    #expect(didYouMean("outp", among: ["output"], prefix: "--") == "; did you mean --output?")
  }

  @Test("the longest prefix of a word is suggested")
  func goesOn() {
    let words = ["admin", "admin-key", "data"]
    #expect(didYouMean("admin-key-file", among: words) == "; did you mean admin-key?")
    #expect(didYouMean("adminkeyfile", among: words) == "")
  }

  @Test("swapped neighbours count once")
  func swapped() {
    #expect(nearest(to: "records gte", among: ["records get", "records set"]) == "records get")
  }
}
