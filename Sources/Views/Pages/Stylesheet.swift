/// The one stylesheet of all pages; the charts' is a part of it.
package enum Stylesheet {
    package static let bytes: [UInt8] = {
        var css = MarkupWriter()
        css.literal(page)
        css.literal(SVGWriter.style)
        return css.bytes
    }()

    private static let page: StaticString = """
        :root { --ink: #1f2328; --soft: #59636e; --paper: #fff; --line: #d1d9e0; --tint: #f6f8fa; --link: #0550ae;
        --up: #116329; --down: #a40e26; --warn: #7d4e00 }
        @media (prefers-color-scheme: dark) {
        :root { --ink: #f0f6fc; --soft: #9da7b3; --paper: #0d1117; --line: #3d444d; --tint: #151b23; --link: #79c0ff;
        --up: #56d364; --down: #ff938a; --warn: #e3b341 }
        }
        * { box-sizing: border-box }
        html { color-scheme: light dark; scroll-behavior: smooth }
        body { margin: 0 auto; max-width: 76rem; padding: 0 1rem 2rem; color: var(--ink); background: var(--paper);
        font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
        h1 { font-size: 1.6rem; margin: 1rem 0 .5rem; overflow-wrap: anywhere }
        h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem }
        p, ul, dl, figure { margin: .5rem 0 }
        a { color: var(--link); text-underline-offset: .15em }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px }
        header { border-bottom: 1px solid var(--line); padding: .5rem 0 }
        footer { margin-top: 2rem; color: var(--soft); font-size: .85rem }
        .asof { color: var(--soft); font-size: .85rem; margin: 0 0 .25rem }
        nav a, .choices a { display: inline-block; padding: .3rem .6rem; border-radius: .4rem; min-height: 2.1rem }
        nav a { padding-left: 0 }
        [aria-current] { font-weight: 700; text-decoration: none; color: var(--ink) }
        .choices [aria-current] { background: var(--tint); box-shadow: inset 0 0 0 1px var(--line) }
        .state { border-left: .4rem solid var(--up); background: var(--tint); padding: .6rem .8rem; font-weight: 600;
        overflow-wrap: anywhere }
        .state.warn { border-color: var(--warn); color: inherit }
        .state.bad { border-color: var(--down); color: inherit }
        .note { border-left: .4rem solid var(--line); padding: .3rem .8rem; overflow-wrap: anywhere }
        .alerts { list-style: none; padding: 0 }
        .alerts li { border-left: .4rem solid var(--down); padding: .3rem .8rem; margin: .3rem 0;
        overflow-wrap: anywhere }
        .alerts .warn { border-color: var(--warn) }
        .reasons { overflow-wrap: anywhere }
        .bad strong, td.bad, .down { color: var(--down) }
        .alerts .bad, .alerts .warn { color: var(--ink) }
        .good, .up { color: var(--up) }
        .warn { color: var(--warn) }
        .old, small { color: var(--soft) }
        .price-now strong { font-size: 1.6rem }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: middle }
        th { font-weight: 400 }
        thead th { font-weight: 600; color: var(--soft); white-space: nowrap }
        [aria-sort="ascending"]::after { content: " ▲" }
        [aria-sort="descending"]::after { content: " ▼" }
        .n { text-align: right; white-space: nowrap }
        tbody th { overflow-wrap: anywhere }
        tbody tr:hover { background: var(--tint) }
        .scroll { overflow-x: auto; max-width: 100% }
        .scroll time { white-space: nowrap }
        .trend { width: 92px; height: 24px; display: block }
        .trend path { fill: none; stroke: var(--link); stroke-width: 1.5; vector-effect: non-scaling-stroke }
        .narrow { display: none }
        .chart > svg { width: 100%; height: auto; display: block; overflow: visible }
        .sign { display: inline-block; margin-right: 1.2rem; color: var(--soft); font-size: .85rem }
        .sign svg { width: 16px; height: 14px; margin-right: .3rem; vertical-align: -2px }
        dt { font-weight: 600 }
        dd { margin: 0 0 .5rem; overflow-wrap: anywhere }
        @media (max-width: 40rem) {
        body { padding: 0 .75rem 1.5rem }
        th, td { padding: .3rem .25rem }
        .markets { font-size: .88rem }
        .markets .wide { display: none }
        .markets .trend { width: 60px }
        .narrow { display: inline }
        .chart > svg { padding-left: 1.2rem }
        .chart .label { font-size: 24px }
        .chart .alternate { display: none }
        }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
        @media print {
        nav, .choices, .asof a { display: none }
        body { max-width: none; color: #000; background: #fff }
        a { color: inherit; text-decoration: none }
        tr { break-inside: avoid }
        .scroll { overflow: visible }
        }

        """
}
