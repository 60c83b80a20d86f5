import Foundation
import TidingsModel

/// The words of a text, by Foundation's decomposition.
enum PlainWords {
  private static let stopWords = Set(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then \
    there these they this to was will with
    """.split(separator: " ").map(String.init)
  )

  static func words(_ text: String) -> Set<String> {
    var words: Set<String> = []
    var word = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if (0x300...0x36f).contains(scalar.value) { continue }
      if CharacterSet.alphanumerics.contains(scalar) {
        word += String(scalar).lowercased().replacing("ς", with: "σ").filter { $0 != "\u{307}" }
      } else {
        words.insert(word)
        word = ""
      }
    }
    words.insert(word)
    return words.subtracting(stopWords).subtracting([""])
  }
}

/// The distance of two places by their vectors.
enum PlainDistance {
  static func metres(_ a: Location, _ b: Location) -> Double {
    func vector(_ location: Location) -> SIMD3<Double> {
      let (north, east) = (location.latitude / 180 * .pi, location.longitude / 180 * .pi)
      return [cos(north) * cos(east), cos(north) * sin(east), sin(north)]
    }
    let (a, b) = (vector(a), vector(b))
    let cross = SIMD3(
      a.y * b.z - a.z * b.y,
      a.z * b.x - a.x * b.z,
      a.x * b.y - a.y * b.x
    )
    return 6_371_008.8 * atan2((cross * cross).sum().squareRoot(), (a * b).sum())
  }
}
