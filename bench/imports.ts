import { cpuSeconds, cpuSecondsOfFamily, type Figure } from './measuring.ts'
import type { Product } from './product.ts'
import { forgetPosts } from './seeding.ts'

const ROWS = 5_000

/** A file of 5,000 rows: its dry run, one with a bad last row, the import, and the same file again. */
export async function measureImports({ db, url, key, pid, postmasterPid }: Product): Promise<Figure[]> {
  await forgetPosts(db)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const channels = (await (await fetch(`${url}/agent/v1/channels`, { headers })).json()) as {
    channelId: string
  }[]
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const [day, minute] = [1 + (n % 28), n % 60].map((part) => String(part).padStart(2, '0'))
    return `row-${n},"Post ${n} of the file, with a line\nand an address: https://example.com/${n}",2027-12-${day}T09:${minute}`
  })
  const file = ['id,text,publishAt', ...rows].join('\n')

  async function send(text: string, more: object = {}): Promise<{ ms: number; cpu: number; status: number }> {
    const body = {
      confirmed: true,
      format: 'csv',
      name: 'bench',
      channelIds: [channels[0]?.channelId],
      file: text,
    }
    const cpu = () => cpuSeconds([pid]) + cpuSecondsOfFamily(postmasterPid)
    const [begun, before] = [performance.now(), cpu()]
    const answer = await fetch(`${url}/agent/v1/posts/import`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, ...more }),
    })
    await answer.text()
    return { ms: performance.now() - begun, cpu: cpu() - before, status: answer.status }
  }
  const dry = await send(file, { dryRun: true })
  const bad = await send(file.replace(/\n[^\n]*\n[^\n]*$/, '\nbad,Bad,01/02/2027 9:00'))
  const whole = await send(file)
  const again = await send(file)
  const statuses = [dry, bad, whole, again].map(({ status }) => status)
  if (statuses.join() !== '200,422,200,200')
    throw new Error(`The imports were answered with ${statuses.join()}.`)
  const said = ({ ms, cpu }: { ms: number; cpu: number }) => [
    `${(ms / 1_000).toFixed(1)} s`,
    `${cpu.toFixed(1)} s`,
  ]
  return [
    ['dry run', ...said(dry), '≤ 30 s'],
    ['a bad last row: refused', ...said(bad), ''],
    ['import', ...said(whole), '≤ 30 s'],
    ['the same file again', ...said(again), ''],
  ]
}
