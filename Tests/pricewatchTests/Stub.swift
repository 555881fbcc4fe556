import Testing

@testable import pricewatch

@Test func stub() {}
