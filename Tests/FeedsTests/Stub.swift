import Testing

@testable import Feeds

@Test func stub() {}
