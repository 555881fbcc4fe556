import Testing

@testable import MarketSimulator

@Test func stub() {}
