import { ATTACKS } from './hostile-files.ts'

/* Sends one of the hostile files to a server again and again, until the process that started it lets go of it. */

const [url = '', key = '', channelId = '', attack = '0'] = process.argv.slice(2)
const [, format, file] = ATTACKS[Number(attack)] ?? ['', 'plan', '']
const name = format === 'csv' ? { name: 'hostile' } : {}
const body = JSON.stringify({
  confirmed: true,
  format,
  file,
  dryRun: true,
  channelIds: [channelId],
  ...name,
})
const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
let isOver = false
process.once('disconnect', () => (isOver = true))
process.send?.({ url })
while (!isOver) await (await fetch(`${url}/agent/v1/posts/import`, { method: 'POST', headers, body })).text()
