internal import TidingsWire

/// A value of a message that is transcoded.
typealias WireField = WireValue<ArraySlice<UInt8>>
