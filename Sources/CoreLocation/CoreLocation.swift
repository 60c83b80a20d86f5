// `import CoreLocation` finds the locations that records hold; there is no location service.
@_exported public import class TidingsKit.CLLocation
@_exported public import typealias TidingsKit.CLLocationAccuracy
@_exported public import struct TidingsKit.CLLocationCoordinate2D
@_exported public import typealias TidingsKit.CLLocationDegrees
@_exported public import typealias TidingsKit.CLLocationDirection
@_exported public import typealias TidingsKit.CLLocationDistance
@_exported public import typealias TidingsKit.CLLocationSpeed
