/** The one stylesheet of the public pages. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f1e8, #171512);
  --card: light-dark(#fffdf8, #201d19);
  --line: light-dark(#e6dece, #35302a);
  --ink: light-dark(#241f19, #efe8dc);
  --soft: light-dark(#6d6355, #a89d8d);
  --accent: light-dark(#a8431c, #f0916a);
  --accent-ground: light-dark(#fbe9df, #3a251b);
  --dune: light-dark(#e0b077, #c98f4f);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 400 1rem/1.55 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', sans-serif;
}
a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: .18em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, p, ol, ul, dl, dd, pre { margin: 0; padding: 0; }
ol, ul { list-style: none; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }

.top { border-bottom: 1px solid var(--line); background: var(--card); }
.top > div { max-width: 62rem; margin: 0 auto; padding: .8rem 1.25rem; display: flex; align-items: center; gap: 1.5rem; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 700; letter-spacing: -.01em; font-size: 1.06rem; }
.brand:hover { text-decoration: none; }
.brand svg { width: 1.75rem; height: 1.75rem; display: block; }
.brand .sky { fill: var(--accent-ground); }
.brand .sun { fill: var(--accent); }
.brand .dune { fill: var(--dune); }
.top nav { margin-left: auto; display: flex; gap: 1.25rem; font-size: .94rem; color: var(--soft); }
.top nav [aria-current] { color: var(--ink); font-weight: 600; }

.frame { max-width: 62rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem; display: grid; grid-template-columns: minmax(0, 1fr) 17.5rem; gap: 1.75rem; align-items: start; }
.frame.single { grid-template-columns: minmax(0, 42rem); justify-content: center; }
@media (max-width: 52rem) { .frame { grid-template-columns: minmax(0, 1fr); padding-top: 1.25rem; } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; }
.card > h1, .card > h2 { font-size: .78rem; line-height: 1.4; font-weight: 650; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); padding: .95rem 1.25rem .8rem; border-bottom: 1px solid var(--line); display: flex; justify-content: space-between; gap: 1rem; }
.live { display: inline-flex; align-items: center; gap: .45rem; text-transform: none; letter-spacing: 0; font-weight: 500; }
.live::before { content: ''; width: .5rem; height: .5rem; border-radius: 50%; background: light-dark(#3d8b4f, #6cc27f); }

.post { display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); column-gap: .85rem; padding: 1.05rem 1.25rem 1.1rem; position: relative; }
.post + .post { border-top: 1px solid var(--line); }
.avatar { width: 2.75rem; height: 2.75rem; border-radius: 50%; display: grid; place-items: center; font-weight: 650; font-size: 1.05rem; color: #fff; text-transform: uppercase; user-select: none; }
.avatar:hover { text-decoration: none; }
.hue-0 { background: #a8431c; } .hue-1 { background: #2f6f73; } .hue-2 { background: #6a4c93; } .hue-3 { background: #8a6a12; }
.hue-4 { background: #33618f; } .hue-5 { background: #8f3557; } .hue-6 { background: #4b6b2f; } .hue-7 { background: #5a5249; }
.by { display: flex; align-items: baseline; column-gap: .45rem; line-height: 1.35; white-space: nowrap; }
.by > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
.by > span { flex: 0 1 auto; }
.by strong { font-weight: 650; }
.by span, .by time, .meta { color: var(--soft); font-size: .9rem; }
.by .when { flex: none; }
.when::before { content: '·'; color: var(--soft); margin-right: .45rem; display: inline-block; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .2rem; }
.text a { color: var(--accent); }
.directive { font-family: var(--mono); font-size: .86em; color: var(--accent); background: var(--accent-ground); border-radius: 5px; padding: .1em .35em; white-space: nowrap; }
.meta { margin-top: .5rem; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.media { display: grid; gap: .5rem; margin-top: .7rem; }
.media :is(img, video) { display: block; max-width: 100%; max-height: 32rem; border-radius: 10px; border: 1px solid var(--line); }

.thread .post + .post { border-top: 0; }
.thread .post.linked::before { content: ''; position: absolute; left: calc(1.25rem + 1.375rem - 1px); top: 4.1rem; bottom: -.75rem; width: 2px; background: var(--line); }
.post.focal { padding-bottom: 1.3rem; }
.post.focal .text { font-size: 1.3rem; line-height: 1.45; grid-column: 1 / -1; margin-top: .85rem; }
.post.focal .media { grid-column: 1 / -1; }
.post.focal .by { flex-direction: column; justify-content: center; align-items: start; }
.post.focal .by > * { max-width: 100%; }
.post.focal .meta { grid-column: 1 / -1; border-top: 1px solid var(--line); padding-top: .8rem; margin-top: 1rem; }
.post.focal.linked::before { display: none; }
.post.focal.linked { border-bottom: 1px solid var(--line); }

.people li a { display: grid; grid-template-columns: 2.25rem minmax(0, 1fr) auto; gap: .7rem; align-items: center; padding: .65rem 1.25rem; }
.people li a:hover { background: var(--ground); text-decoration: none; }
.people .avatar { width: 2.25rem; height: 2.25rem; font-size: .9rem; }
.people strong, .people small { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.35; }
.people strong { font-weight: 600; }
.people small, .people .count { color: var(--soft); font-size: .85rem; font-variant-numeric: tabular-nums; }
.people ul { padding: .35rem 0; }
aside { display: grid; gap: 1.25rem; }
.note { font-size: .9rem; color: var(--soft); padding: 0 .25rem; }
.note a, .empty a, .prose a { color: var(--accent); }

.profile { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1.1rem; align-items: center; padding: 1.5rem 1.25rem; border-bottom: 1px solid var(--line); }
.profile .avatar { width: 4.5rem; height: 4.5rem; font-size: 1.7rem; }
.card .profile h1 { font-size: 1.35rem; line-height: 1.25; letter-spacing: -.015em; overflow-wrap: anywhere; }
.profile p { color: var(--soft); font-size: .94rem; }
.more { display: block; padding: .9rem 1.25rem; border-top: 1px solid var(--line); text-align: center; color: var(--accent); font-size: .94rem; }

.empty { padding: 3rem 1.5rem 3.25rem; text-align: center; }
.empty svg { width: 11rem; height: auto; display: block; margin: 0 auto 1.4rem; border-radius: 0 0 1.25rem 1.25rem; }
.empty .dune { fill: var(--dune); } .empty .far { fill: var(--accent-ground); } .empty .sun { fill: var(--accent); }
.empty h1 { font-size: 1.4rem; letter-spacing: -.02em; line-height: 1.3; }
.empty p { color: var(--soft); max-width: 29rem; margin: .6rem auto 0; text-wrap: balance; }
.empty pre { text-align: left; margin: 1.5rem auto 0; max-width: 34rem; padding: 1rem 1.15rem; border-radius: 10px; background: var(--ground); border: 1px solid var(--line); font: .84rem/1.6 var(--mono); overflow-x: auto; }

.prose { padding: 1.75rem 1.5rem 1.25rem; }
.prose h1 { font-size: 1.5rem; letter-spacing: -.02em; line-height: 1.25; }
.prose p { color: var(--soft); margin-top: .7rem; }
.directives > div { display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); gap: .3rem 1.25rem; padding: .85rem 1.5rem; border-top: 1px solid var(--line); }
.directives dd { font-size: .95rem; }
@media (max-width: 40rem) { .directives > div { grid-template-columns: minmax(0, 1fr); } }
`

/** The mark of the network: a sun over a dune. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="8" fill="#fbe9df"/><circle cx="18" cy="11" r="4.5" fill="#a8431c"/><path d="M0 20c6-6 11-5 16-1s8 3 12 0v1a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8z" fill="#e0b077"/></svg>`
