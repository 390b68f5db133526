/* Time zones as people name them: by a place, an abbreviation, or a distance from UTC. */

/** A zone that words name. `offset`, in minutes ahead of UTC, is given where the words say the distance, too. */
export type NamedZone =
  | { readonly zone: string; readonly offset: number | null; readonly name: string }
  | { readonly zone: null; readonly offset: number; readonly name: string }
  | { readonly several: string }

/** Abbreviations, with the place that people mean by them and how far ahead of UTC it is then, in hours. */
const ABBREVIATIONS: Readonly<Record<string, readonly [zone: string, hours: number]>> = {
  est: ['America/New_York', -5],
  edt: ['America/New_York', -4],
  cdt: ['America/Chicago', -5],
  mst: ['America/Denver', -7],
  mdt: ['America/Denver', -6],
  pst: ['America/Los_Angeles', -8],
  pdt: ['America/Los_Angeles', -7],
  akst: ['America/Anchorage', -9],
  akdt: ['America/Anchorage', -8],
  hst: ['Pacific/Honolulu', -10],
  wet: ['Europe/Lisbon', 0],
  west: ['Europe/Lisbon', 1],
  bst: ['Europe/London', 1],
  cet: ['Europe/Berlin', 1],
  cest: ['Europe/Berlin', 2],
  mez: ['Europe/Berlin', 1],
  mesz: ['Europe/Berlin', 2],
  eet: ['Europe/Athens', 2],
  eest: ['Europe/Athens', 3],
  msk: ['Europe/Moscow', 3],
  jst: ['Asia/Tokyo', 9],
  kst: ['Asia/Seoul', 9],
  hkt: ['Asia/Hong_Kong', 8],
  sgt: ['Asia/Singapore', 8],
  awst: ['Australia/Perth', 8],
  aest: ['Australia/Sydney', 10],
  aedt: ['Australia/Sydney', 11],
  nzst: ['Pacific/Auckland', 12],
  nzdt: ['Pacific/Auckland', 13],
}

/** Abbreviations of which each means zones far from each other. */
const SEVERAL: Readonly<Record<string, string>> = {
  ist: 'India, Ireland or Israel',
  cst: 'Chicago, Shanghai or Havana',
  ast: 'Halifax or Riyadh',
  gst: 'Dubai or South Georgia',
  acst: 'Darwin or Adelaide',
}

/** Names of zones besides those in the list of the browser. */
const NAMES: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  eastern: 'America/New_York',
  ct: 'America/Chicago',
  central: 'America/Chicago',
  mt: 'America/Denver',
  mountain: 'America/Denver',
  pt: 'America/Los_Angeles',
  pacific: 'America/Los_Angeles',
  boston: 'America/New_York',
  miami: 'America/New_York',
  atlanta: 'America/New_York',
  philadelphia: 'America/New_York',
  dallas: 'America/Chicago',
  houston: 'America/Chicago',
  austin: 'America/Chicago',
  seattle: 'America/Los_Angeles',
  'san francisco': 'America/Los_Angeles',
  'san diego': 'America/Los_Angeles',
  'las vegas': 'America/Los_Angeles',
  montreal: 'America/Toronto',
  ottawa: 'America/Toronto',
  'rio de janeiro': 'America/Sao_Paulo',
  munich: 'Europe/Berlin',
  münchen: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  cologne: 'Europe/Berlin',
  köln: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  wien: 'Europe/Vienna',
  zürich: 'Europe/Zurich',
  geneva: 'Europe/Zurich',
  barcelona: 'Europe/Madrid',
  milan: 'Europe/Rome',
  manchester: 'Europe/London',
  edinburgh: 'Europe/London',
  kyiv: 'Europe/Kyiv',
  'tel aviv': 'Asia/Jerusalem',
  kolkata: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  'new delhi': 'Asia/Kolkata',
  bangalore: 'Asia/Kolkata',
  kathmandu: 'Asia/Kathmandu',
  yangon: 'Asia/Yangon',
  hanoi: 'Asia/Ho_Chi_Minh',
  'ho chi minh city': 'Asia/Ho_Chi_Minh',
  beijing: 'Asia/Shanghai',
  shenzhen: 'Asia/Shanghai',
  osaka: 'Asia/Tokyo',
  canberra: 'Australia/Sydney',
  wellington: 'Pacific/Auckland',
}

let byName: ReadonlyMap<string, string> | null = null

/** Zones by the names of places: `berlin`, `new york`, `europe/berlin`. */
function names(): ReadonlyMap<string, string> {
  byName ??= new Map([
    ...Intl.supportedValuesOf('timeZone').flatMap((zone) => [
      [zone.toLowerCase(), zone] as const,
      [placeOf(zone).toLowerCase(), zone] as const,
    ]),
    ...Object.entries(NAMES),
    ...['utc', 'gmt', 'z'].map((name) => [name, 'UTC'] as const),
  ])
  return byName
}

/** `Berlin`, `New York`, `UTC`: what people call a zone. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** The zone that words name as a whole, as in `new york`, `est`, `utc+2` or `europe/berlin`; null for none. */
export function readZone(words: string): NamedZone | null {
  const name = words.trim().toLowerCase()
  const offset = readOffset(name)
  if (offset !== null) return { zone: null, offset, name: showOffset(offset) }
  const several = SEVERAL[name]
  if (several !== undefined) return { several }
  const short = ABBREVIATIONS[name]
  if (short !== undefined) return { zone: short[0], offset: short[1] * 60, name: name.toUpperCase() }
  const place = name.replace(/^in\s+/, '').replace(/\s+time$/, '')
  const zone = names().get(place)
  return zone === undefined ? null : { zone, offset: null, name: placeOf(zone) }
}

const FARTHEST_MINUTES = 14 * 60

/** `utc+2`, `gmt-5`, `+05:30`, in minutes ahead of UTC. */
function readOffset(name: string): number | null {
  const [, sign, hours, minutes = '0'] = /^(?:utc|gmt)?\s*([+\-−])(\d{1,2}):?(\d{2})?$/.exec(name) ?? []
  if (sign === undefined) return null
  const offset = (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes))
  return Number(minutes) < 60 && Math.abs(offset) <= FARTHEST_MINUTES ? offset : null
}

/** `UTC+5:30`. */
export function showOffset(offset: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  if (offset === 0) return 'UTC'
  return `UTC${offset < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}
