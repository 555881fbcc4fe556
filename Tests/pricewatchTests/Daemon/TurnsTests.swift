import Engine
import Markets
import Synchronization
import Testing

@testable import pricewatch

@Suite struct TurnsTests {
    @Test("what is due again when a turn ends has its turn at once", arguments: 0...3)
    func again(times: Int) async {
        let turns = Turns()
        let count = Mutex(0)
        await turns.perform {
            count.withLock { $0 += 1 }
        } again: {
            count.withLock { $0 } <= times
        }
        #expect(count.withLock { $0 } == times + 1)
    }
}
