@testable import Markets
import Foundation
import Testing
@Test func t() {
 for s in ["0.1","1.206e-09","77123.45","123456789.123456789","0.000000000000000001","1e18","1234567890123456785","1234567890123456775","60_000","0x10","1000000000000000000.1","99999999999999999999"] {
   print(s, Price(parsing: s).map{"\($0) \($0.decimal)"} ?? "nil")
 }
 print(Date(utcText:"2026-11-21T10:00:00.123Z")!.utcTextWithMilliseconds, Date(utcText:"2024-02-29T23:59:59+01:30")!.utcText, Date(milliseconds:-1).utcTextWithMilliseconds)
 print(Percent(from: Price(parsing:"100")!, to: Price(parsing:"101.255")!), Percent(rounding: Decimal(string:"-1.005")!)!, Percent(from: Price(parsing:"1e-18")!, to: Price(parsing:"1e18")!))
 print(Duration(unitsText:"1h30m")!.unitsText, Duration(unitsText:"90s")!.unitsText, Duration(unitsText:"30m1h") as Any, Duration.hours(24*90).unitsText)
 print(Price(parsing:"1")! > Price(parsing:"0.999999999999999999")!, Price(parsing:"0.1")! < Price(parsing:"0.1")!)
}
