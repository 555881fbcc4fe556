import Testing
@testable import History
@Test func stub() {}
