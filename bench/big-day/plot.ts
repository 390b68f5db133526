import { concat, queueDelays, spreadOf } from './delays.ts'
import { countByMinute, postsOfMinute } from './plan.ts'
import { timeOf } from './play.ts'
import type { Result } from './report.ts'

const WIDTH = 900
const PANEL = { left: 70, right: 20, height: 170, gap: 60, top: 40 }
/** The axis of delays: from the first to the last power of ten, in milliseconds. */
const DECADES = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

type Bar = { place: number; value: number }

/** Three pictures above each other: the posts of each minute of the day, what a plain queue makes of them, and the played minutes. */
export function plotDay(result: Result, perSecond: number): string {
  const { plan, span, played } = result
  const byMinute = countByMinute(plan.minuteOf)
  const ofQueue = queueDelays(byMinute, perSecond)
  const hours = Array.from({ length: 24 }, (_, hour) =>
    spreadOf(concat(ofQueue.slice(hour * 60, hour * 60 + 60))),
  )
  const minutes = Array.from({ length: span.to - span.from }, (_, n) => {
    const { from, to } = postsOfMinute(plan, span.from + n)
    return spreadOf(played.delaysMs.subarray(from, to).filter((ms) => !Number.isNaN(ms)))
  })
  const bars = (values: number[], of: number): Bar[] =>
    values.map((value, n) => ({ place: (n + 0.5) / of, value }))
  const panels = [
    loadPanel('Posts in each minute of the day (UTC)', bars([...byMinute], 1_440), hourTicks()),
    delayPanel(
      `Start delay by hour, as a plain queue at ${perSecond.toFixed(0)} per second gives it: p50, p99, p99.9`,
      hours.map(({ p50, p99, p999 }) => [p50, p99, p999]),
      hourTicks(),
    ),
    delayPanel(
      `Start delay by minute as played, ${timeOf(span.from)} to ${timeOf(span.to)}: p50, p99, p99.9`,
      minutes.map(({ p50, p99, p999 }) => [p50, p99, p999]),
      minuteTicks(span),
    ),
  ]
  const height = PANEL.top + panels.length * (PANEL.height + PANEL.gap)
  const placed = panels.map(
    (panel, n) => `<g transform="translate(0 ${PANEL.top + n * (PANEL.height + PANEL.gap)})">${panel}</g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#222">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${placed.join('\n')}
</svg>
`
}

type Tick = { place: number; label: string }

function hourTicks(): Tick[] {
  return Array.from({ length: 13 }, (_, n) => ({ place: n / 12, label: timeOf(n * 120) }))
}

function minuteTicks({ from, to }: { from: number; to: number }): Tick[] {
  return Array.from({ length: 7 }, (_, n) => ({
    place: n / 6,
    label: timeOf(Math.round(from + ((to - from) * n) / 6)),
  }))
}

function loadPanel(title: string, bars: readonly Bar[], ticks: readonly Tick[]): string {
  const most = Math.max(...bars.map(({ value }) => value))
  const lines = bars.map(({ place, value }) => `M${x(place)} ${PANEL.height}V${y(value / most)}`)
  return (
    frame(
      title,
      ticks,
      [0, 0.5, 1].map((place) => ({ place, label: Math.round(most * place).toLocaleString('en') })),
    ) + `<path d="${lines.join('')}" stroke="#3465a4" stroke-width="1" fill="none"/>`
  )
}

const COLOURS = ['#3465a4', '#f57900', '#cc0000']

function delayPanel(title: string, spreads: readonly (readonly number[])[], ticks: readonly Tick[]): string {
  const last = Math.log10(DECADES.at(-1) ?? 1)
  const labels = DECADES.map((ms, n) => ({
    place: n / (DECADES.length - 1),
    label: ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`,
  }))
  const dots = spreads.flatMap((values, n) =>
    values.map((value, which) => {
      const place = Math.log10(Math.max(1, value)) / last
      return Number.isNaN(value)
        ? ''
        : `<circle cx="${x((n + 0.5) / spreads.length)}" cy="${y(place)}" r="3" fill="${COLOURS[which]}"/>`
    }),
  )
  return frame(title, ticks, labels) + dots.join('')
}

function frame(title: string, ticks: readonly Tick[], labels: readonly Tick[]): string {
  const grid = labels.map(
    ({ place, label }) =>
      `<path d="M${PANEL.left} ${y(place)}H${WIDTH - PANEL.right}" stroke="#ddd"/><text x="${PANEL.left - 6}" y="${y(place) + 4}" text-anchor="end">${label}</text>`,
  )
  const marks = ticks.map(
    ({ place, label }) =>
      `<text x="${x(place)}" y="${PANEL.height + 18}" text-anchor="middle">${label}</text>`,
  )
  return `<text x="${PANEL.left}" y="-10" font-weight="bold">${title}</text>${grid.join('')}${marks.join('')}`
}

/** Pixels of a place from 0 to 1. */
function x(place: number): number {
  return Math.round((PANEL.left + place * (WIDTH - PANEL.left - PANEL.right)) * 10) / 10
}

function y(place: number): number {
  return Math.round((1 - place) * PANEL.height * 10) / 10
}
