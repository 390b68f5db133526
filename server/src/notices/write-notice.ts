import type { NoticeKind } from '@postrider/contract/names'
import type { Message, Section } from '../mail/message.ts'
import { moment } from '../platform/moments.ts'
import { COUNTED_TO, type News, type Trouble } from './new-trouble-store.ts'
import { words } from './words.ts'

const TEXT_MAX = 100

type Workspace = {
  readonly workspaceName: string
  readonly timeZone: string
  /** Of its pages. */
  readonly workspaceUrl: string
}

/** The mail of what is new in a workspace, in the language of its reader. */
export function writeNotice(news: readonly News[], workspace: Workspace): Message {
  const { workspaceName, workspaceUrl } = workspace
  const count = news.reduce((sum, one) => sum + one.count, 0)
  const isCounted = news.every((one) => one.count <= COUNTED_TO)
  const name = oneLine(workspaceName)
  return {
    subject: isCounted ? words.subject(count, name) : words.subjectOfMany(COUNTED_TO, name),
    paragraphs: [words.lead(name)],
    sections: news.map((one) => sectionOf(one, workspace)),
    link: { label: words.seeAll, url: `${workspaceUrl}/attention` },
    after: [words.why(name), `${workspaceUrl}/settings#notices`],
  }
}

function sectionOf({ kind, count, first }: News, workspace: Workspace): Section {
  const heading = (words.headings as Partial<Record<NoticeKind, string>>)[kind] ?? ''
  const isCounted = count <= COUNTED_TO
  const more = count - first.length
  return {
    heading: isCounted ? words.count(heading, count) : words.countOfMany(heading, COUNTED_TO),
    items: first.map((trouble) => itemOf(kind, trouble, workspace)),
    ...(more > 0 ? { more: words.more(more) } : {}),
  }
}

function itemOf(
  kind: NoticeKind,
  trouble: Trouble,
  { timeZone, workspaceUrl }: Workspace,
): Section['items'][number] {
  const { subjectId, problem, name, reason, at } = trouble
  const end = problem === 'access_ending' && at !== null ? [words.until(moment(at, timeZone))] : []
  const why = reason === null ? [] : [words.sentence(oneLine(reason, 300))]
  return {
    title: titleOf(kind, { ...trouble, name: oneLine(name) }),
    text: [...end, ...why, words.problems[problem] ?? ''].join(' '),
    url: `${workspaceUrl}/${pathOf(kind, trouble, subjectId)}`,
  }
}

function titleOf(kind: NoticeKind, { name, text }: Trouble): string {
  if (kind === 'channels' || kind === 'webhooks') return name
  const quoted = oneLine((kind === 'series' ? name : text) ?? '')
  const post = quoted === '' ? words.withoutText : words.quoted(quoted)
  return kind === 'series' ? post : words.on(post, name)
}

function pathOf(kind: NoticeKind, { postId }: Trouble, subjectId: string): string {
  if (kind === 'channels') return 'channels'
  if (kind === 'series') return `series/${subjectId}`
  if (kind === 'webhooks') return `webhooks/${subjectId}`
  return `posts/${postId}`
}

/** What people and networks wrote, as one short line: no line end of theirs, and no mark that turns the direction of what follows. */
function oneLine(text: string, max = TEXT_MAX): string {
  const line = text
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length <= max
    ? line
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}
