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
        html { color-scheme: light dark }
        body { margin: 0 auto; max-width: 64rem; padding: 0 1rem 2rem; color: var(--ink); background: var(--paper);
        font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif }
        h1 { font-size: 1.4rem; line-height: 1.3; margin: 1rem 0 .6rem; overflow-wrap: anywhere }
        h2 { font-size: 1.05rem; margin: 1.6rem 0 .3rem }
        p, ul, dl, figure { margin: .4rem 0 }
        a { color: var(--link); text-underline-offset: .15em }
        a:hover { text-decoration-thickness: .12em }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px }
        header { display: flex; flex-flow: row-reverse wrap; justify-content: space-between; align-items: baseline;
        gap: 0 1.5rem; border-bottom: 1px solid var(--line); padding-top: .4rem }
        .asof, footer, .facts, thead th, .choices { color: var(--soft); font-size: .85rem }
        .asof { margin: .2rem 0 }
        .asof > *, .price-now span { white-space: nowrap }
        footer { margin-top: 2.5rem }
        nav a { display: inline-block; padding: .3rem .1rem .4rem; margin-right: 1.2rem; text-decoration: none }
        [aria-current] { color: var(--ink); font-weight: 700; text-decoration: none }
        nav [aria-current] { box-shadow: inset 0 -3px var(--link) }
        .choices { margin: .6rem 0 }
        .choices a { display: inline-block; padding: .15rem .6rem; border-radius: 1rem }
        .choices [aria-current] { background: var(--tint); box-shadow: inset 0 0 0 1px var(--line) }
        .state, .alerts li, .note { border-left: .3rem solid var(--up); background: var(--tint); padding: .5rem .8rem;
        overflow-wrap: anywhere }
        .state.warn, .alerts .warn { border-color: var(--warn); color: inherit }
        .state.bad, .alerts li { border-color: var(--down) }
        .note { border-color: var(--line) }
        .alerts { list-style: none; padding: 0 }
        .alerts li { margin: .3rem 0; padding: .25rem .8rem }
        .reasons { overflow-wrap: anywhere; padding-left: 2.2rem }
        .alerts .bad strong, td.bad, .down { color: var(--down) }
        .good, .up { color: var(--up) }
        .up, .down { white-space: nowrap }
        .warn, .alerts .warn strong { color: var(--warn) }
        .old, .old strong, small { color: var(--soft) }
        small { font-size: .8rem; margin-left: .3rem }
        .moves { display: flex; flex-wrap: wrap; gap: 0 1rem }
        .moves > span { overflow-wrap: anywhere }
        .price-now { margin-bottom: 0; font-variant-numeric: tabular-nums }
        .price-now strong { font-size: 1.75rem; line-height: 1.3; margin-right: .4rem; overflow-wrap: anywhere }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line) }
        th { font-weight: 400 }
        thead th { font-weight: 600; white-space: nowrap }
        thead a { color: inherit; text-decoration-style: dotted }
        [aria-sort] a { color: var(--ink) }
        [aria-sort="ascending"]::after { content: " ▲" }
        [aria-sort="descending"]::after { content: " ▼" }
        .n { text-align: right; white-space: nowrap }
        .n + td:not(.n), .n + th:not(.n) { padding-left: 1.6rem }
        tbody th { overflow-wrap: anywhere; min-width: 6.6rem }
        .subject { overflow-wrap: anywhere }
        tbody th time { white-space: nowrap }
        tbody tr:hover { background: var(--tint) }
        .scroll { overflow-x: auto; max-width: 100% }
        .trend { width: 115px; height: 30px; display: block; margin: -.2rem 0 }
        .trend path { fill: none; stroke: var(--link); stroke-width: 1.5; vector-effect: non-scaling-stroke }
        .chart svg { width: 100%; height: auto }
        .narrow { display: none }
        dl { display: grid; grid-template-columns: 7rem 1fr; gap: .2rem 1rem }
        dt { color: var(--soft) }
        dd { margin: 0; overflow-wrap: anywhere }
        @media (max-width: 40rem) {
        body { padding: 0 .75rem 1.5rem }
        th, td { padding: .35rem .25rem }
        table { font-size: .85rem }
        thead th { white-space: normal; vertical-align: bottom }
        tbody th { min-width: 4.6rem }
        .n + td:not(.n), .n + th:not(.n) { padding-left: .6rem }
        header { display: block }
        .asof { font-size: .8rem }
        .events thead { display: none }
        .events tr { display: grid; grid-template-columns: auto 1fr auto; border-bottom: 1px solid var(--line) }
        .events th, .events td { border: 0; padding: .2rem .25rem }
        .events .subject { order: 1; grid-column: 1 / -1; padding-top: 0 }
        .wide { display: none }
        .narrow { display: revert }
        .trend { width: 100%; min-width: 20px; max-width: 64px; height: 24px; margin: 0 }
        dl { grid-template-columns: 5rem 1fr }
        }
        @media (max-width: 22rem) { .markets tr > :nth-child(2) { display: none } }
        @media print {
        nav, .choices, .asof a { display: none }
        body { max-width: none; color: #000; background: #fff }
        a { color: inherit; text-decoration: none }
        tr, figure, .alerts li { break-inside: avoid }
        .scroll { overflow: visible }
        }

        """
}
