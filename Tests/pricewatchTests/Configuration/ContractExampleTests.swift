import Testing

@testable import pricewatch

/// A configuration that uses nearly everything there is.
@Suite struct ContractExampleTests {
    static let text = """
        currency: usd
        watch:
          markets: [bitcoin, ethereum, tether, {id: solana, coinpaprika: sol-solana, binance: SOLUSDT}, {id: AAPL, feed: stocks, stale_after: 4d}, {id: savings, holds: {bitcoin: 0.5, ethereum: 3}, cost: 25000}]
          top: 0
        feeds:
          - provider: coingecko
            name: coingecko
            plan: demo
            key_file: coingecko.key
            url: https://api.coingecko.com/api/v3
            quota_month: null
          - {name: stocks, provider: json, every: 15m, url: "https://prices.example.com/v1/quote?symbol={id}&token={key}", key_env: STOCKS_KEY, fields: {price: /last, quoted_at: /time}, time_format: epoch_s, currency: usd}
        poll:
          every: 60s
          timeout: 20s
          retry: {attempts: 3, base: 1s, cap: 30s}
          stale_after: null
          confirm_moves_over: 20%
        history:
          database: /var/lib/pricewatch/history.db
          keep_samples: 90d
          keep_candles: forever
          max_size: 2GiB
          backfill: 24h
        alerts:
          - {name: btc-below-60k, market: bitcoin, below: 60000, clear: 61000, for: 2m, severity: critical, note: "sell the boat"}
          - {name: fast-drop, markets: all, falls: 5%, within: 1h, repeat: 4h, notify: [phone]}
          - {name: usdt-peg, market: tether, outside: [0.99, 1.01], for: 10m}
        builtin_alerts: true
        notify:
          phone: {ntfy: "https://ntfy.sh/my-topic", quiet: ["23:00-07:00", "sat-sun 00:00-10:00"]}
          ops: {webhook_file: webhook-url, max_age: 24h, send_resolved: true}
          hook: {exec: [/usr/local/bin/on-alert], timeout: 30s}
        export:
          - {name: cluster, influx: "https://vm.example/insert/0/influx/write", token_file: vm-token}
        digest: {at: "07:00", on: daily, notify: []}
        timezone: UTC
        heartbeat: null
        web: {url: null}
        log: {file: /var/log/pricewatch/pricewatch.log, level: info, format: text}
        status_file: /run/pricewatch/status.json
        metrics_file: null
        """

    @Test func `nothing is wrong with it`() throws {
        let scene = try ConfigurationScene()
        scene.host.variables["STOCKS_KEY"] = "s"
        try scene.write("CG-key\n", to: "etc/coingecko.key")
        try scene.write("https://example.org/hook\n", to: "etc/webhook-url")
        try scene.write("t0k3n\n", to: "etc/vm-token")
        #expect(scene.faults(Self.text) == [])
    }
}
