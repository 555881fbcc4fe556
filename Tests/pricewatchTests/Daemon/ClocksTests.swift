import Engine
import Testing

@testable import pricewatch

@Suite struct ClocksTests {
    @Test("this machine's clocks can be read, and agree while they are not set")
    func system() {
        let (first, second) = (Moment.now(), Moment.now())
        #expect(first.uptime >= first.awake - .seconds(1) && second.awake >= first.awake)
        #expect(first.awake > .zero)
    }
}
