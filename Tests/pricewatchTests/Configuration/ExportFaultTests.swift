import Testing

@testable import pricewatch

/// What `export` takes, and what is said about one that it does not take.
@Suite struct ExportFaultTests {
    @Test(arguments: [
        ("export: {influx: \"https://a.b/write\"}", "1:1: export: expected a list, found a mapping"),
        (
            "export: [{name: a}]",
            "1:10: export[0]: needs influx: the URL of the engine's write API, such as http://127.0.0.1:8428/write"
        ),
        (
            "export: [{influx: \"https://a.b\"}]",
            "1:19: export[0].influx: the URL names no path: write /write behind the host (VictoriaMetrics, InfluxDB 1) or "
                + "/insert/0/influx/write (vminsert)"
        ),
        (
            "export: [{influx: \"https://a.b/?db=x\"}]",
            "1:19: export[0].influx: the URL names no path: write /write behind the host (VictoriaMetrics, InfluxDB 1) or "
                + "/insert/0/influx/write (vminsert)"
        ),
        (
            "export: [{influx: \"http://a.b/write\"}]",
            "1:19: export[0].influx: the URL is plain http to another machine: use https, or set allow_http: true beside it"
        ),
        (
            "export: [{influx: \"https://a.b/write\", query: \"http://a.b\"}]",
            "1:47: export[0].query: the URL is plain http to another machine: use https, or set allow_http: true beside it"
        ),
        (
            "export: [{influx: \"https://a.b/write?precision=s\"}]",
            "1:19: export[0].influx: the URL's precision must be ms: leave it out, and it is added"
        ),
        (
            "export: [{influx: \"https://a.b/write\", token: t, password: p}]",
            "1:60: export[0].password: beside a token: only one of them is sent, so leave password or token out"
        ),
        (
            "export: [{influx: \"https://a.b/write\", token: t, user: u, password: p}]",
            "1:56: export[0].user: beside a token: only one of them is sent, so leave user or token out"
        ),
        (
            "export: [{influx: \"https://a.b/write\", password: p}]",
            "1:50: export[0].password: needs the user that it belongs to: add user"
        ),
        (
            "export: [{influx: \"https://a.b/write\", user: u}]",
            "1:46: export[0].user: needs a password: add password_file, password_env or password"
        ),
        (
            "export: [{influx: \"https://a.b/write\", user: \"u:v\", password: p}]",
            "1:46: export[0].user: must not hold a colon, which ends a user name in HTTP"
        ),
        (
            "export: [{influx: \"https://a.b/write\"}, {influx: \"https://a.b:8443/write\"}]",
            "1:50: export[1].influx: another export is called a.b, too: give this one a name"
        ),
        (
            "export: [{influx: \"https://a.b/write\", tokn: t}]",
            "1:40: export[0].tokn: unknown key; did you mean export[0].token?"
        ),
        (
            "export: [{influx: \"https://a.b/write\", headers: {\"X Y\": t}}]",
            "1:57: export[0].headers.X Y: is no name of an HTTP header"
        ),
        (
            "export: [{influx: \"https://a.b/write\", headers: {X-Key: \"a\\nb\"}}]",
            "1:57: export[0].headers.X-Key: must not hold a control character"
        ),
        (
            "export: [{influx: \"https://a.b/write\", headers: {content-encoding: zstd}}]",
            "1:68: export[0].headers.content-encoding: is set by pricewatch itself; leave it out"
        ),
        (
            "export: [{influx: \"https://a.b/write\", token: t, headers: {Authorization: t}}]",
            "1:75: export[0].headers.Authorization: beside token or user: keep one of them"
        ),
        (
            "exports: [{influx: \"https://a.b/write\"}]", "1:1: exports: unknown key; did you mean export?"
        ),
    ])
    func faults(text: String, fault: String) throws {
        #expect(try ConfigurationScene().faults(text) == ["p.yaml:\(fault)"])
    }

    @Test func `an export says everything it can`() throws {
        let scene = try ConfigurationScene()
        try scene.write("t0k3n\n", to: "etc/vm-token")
        scene.host.variables["VM_URL"] = "https://vm.example/insert/0/influx/write"
        let text = """
            export:
              - {influx_env: VM_URL, token_file: vm-token, query: "https://select.example/select/0/prometheus"}
              - name: home
                influx: http://192.168.1.7:8428/write
                allow_http: true
                user: anna
                password: secret
                headers: {X-Scope-OrgID: 7, X-Key_file: vm-token}
            """
        let exports = try scene.reading(text).configuration.exports
        #expect(exports.map(\.name) == ["vm.example", "home"])
        #expect(
            exports.map(\.address.shown) == [
                "https://vm.example/insert/0/influx/write", "http://192.168.1.7:8428/write",
            ])
        #expect(exports[1].address.headers.map(\.name) == ["X-Scope-OrgID", "X-Key"])
        #expect(exports[1].address.headers.map(\.value.revealed) == ["7", "t0k3n"])
        #expect(exports[0].address.readBase == "https://select.example/select/0/prometheus")
        var dumped = ""
        dump(exports, to: &dumped)
        #expect(!dumped.contains("t0k3n") && !dumped.contains("secret"))
    }
}
