import Engine
import Foundation
import Markets
import TestSupport
import Testing

@testable import History

@Suite(.serialized) struct FullDiskTests {
    private func fault(_ body: () throws -> Void) -> HistoryError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? Unwritten)?.kind }
    }

    private func poll(at second: Double) -> PollRecord {
        var record = HistoryTests.poll(second)
        record.samples = (0..<300).map { sample("m\($0)", "1.23456789", quotedAt: second) }
        return record
    }

    @Test("the disk fills: polls fail by name, none is half there; space comes back and recording resumes")
    func fills() throws {
        guard let disk = try SmallDisk() else { return }
        let writer = try HistoryWriter(at: disk.database)
        try writer.commit(poll(at: 0))
        disk.fill()
        var recorded: Int64 = 1
        for step in 1...200 {
            if fault({ try writer.commit(poll(at: Double(step))) }) == nil { recorded += 1 }
        }
        #expect(fault { try writer.commit(poll(at: 300)) } == .unwritable)
        #expect(writer.fault?.kind == .unwritable)
        #expect(recorded < 200)
        #expect(try writer.reader.size().samples == recorded * 300)
        try disk.empty()
        try writer.commit(poll(at: 400))
        #expect(writer.fault == nil)
        #expect(try writer.size().samples == (recorded + 1) * 300)
        #expect(try HistoryReader(at: disk.database).size().samples == (recorded + 1) * 300)
    }

    @Test("a start on a full disk, with and without a database: it runs, and records once there is space")
    func startsFull() throws {
        guard let disk = try SmallDisk() else { return }
        disk.fill()
        let first = try HistoryWriter(at: disk.database)
        #expect(fault { try first.commit(poll(at: 0)) } == .unwritable)
        #expect(try first.reader.newest(in: .init(usd())).isEmpty)
        try disk.empty()
        try first.commit(poll(at: 60))
        try first.close()
        disk.fill()
        let second = try HistoryWriter(at: disk.database)
        #expect(try second.reader.newest(in: .init(usd())).count == 300, "what was recorded is known")
        #expect(try second.reader.installation() == second.installation)
        try disk.empty()
        try second.commit(poll(at: 120))
        #expect(try second.size().samples == 600)
    }

    @Test("the disk turns read-only and back, also before a start")
    func readOnly() throws {
        guard let disk = try SmallDisk() else { return }
        var writer: HistoryWriter? = try HistoryWriter(at: disk.database)
        try writer?.commit(poll(at: 0))
        try writer?.close()
        writer = nil
        guard disk.remount(readOnly: true) else { return print("skipped: the small disk cannot be made read-only") }
        let later = try HistoryWriter(at: disk.database)
        #expect(later.fault?.kind == .unwritable)
        #expect(try later.reader.newest(in: .init(usd())).count == 300)
        #expect(fault { try later.commit(poll(at: 60)) } == .unwritable)
        #expect(disk.remount(readOnly: false))
        try later.commit(poll(at: 120))
        #expect(later.fault == nil)
        #expect(try later.reader.size().samples == 600)
    }
}
