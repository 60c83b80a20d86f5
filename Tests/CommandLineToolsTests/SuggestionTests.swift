import CommandLineTools
import Testing

@Suite struct SuggestionTests {
  @Test("words that are near are proposed, all that are equally near")
  func near() {
    #expect(didYouMean("tabel", among: ["table", "json"]) == "; did you mean table?")
    #expect(didYouMean("bat", among: ["cat", "bar", "dog"]) == "; did you mean cat or bar?")
    #expect(didYouMean("xyzzy", among: ["cat", "dog"]) == "")
    #expect(didYouMean("a", among: []) == "")
  }

  @Test("the begin of words is near when nothing else is")
  func begins() {
    let words = ["fetch-records", "fetch-zones", "watch"]
    #expect(didYouMean("fetch", among: words) == "; did you mean fetch-records or fetch-zones?")
    #expect(didYouMean("outp", among: ["output"], prefix: "--") == "; did you mean --output?")
  }

  @Test("a word that goes on from others is near the longest of them")
  func goesOn() {
    let words = ["admin", "admin-key", "data"]
    #expect(didYouMean("admin-key-file", among: words) == "; did you mean admin-key?")
    #expect(didYouMean("adminkeyfile", among: words) == "")
  }

  @Test("neighbours that were swapped count once")
  func swapped() {
    #expect(nearest(to: "records gte", among: ["records get", "records set"]) == "records get")
  }
}
