import type { NoticeKind } from '@postrider/contract/names'
import { type Message, oneLine, type Section } from '../../people/mail/message.ts'
import { moment } from '../../platform/text/moments.ts'
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
  const name = short(workspaceName)
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
  const until = { access_ending: words.until, version_ending: words.versionUntil }[problem]
  const end = until !== undefined && at !== null ? [until(moment(at, timeZone))] : []
  const said = problem === 'live_twice' ? words.second : words.sentence
  const why = reason === null ? [] : [said(short(reason, 300))]
  return {
    title: titleOf(kind, { ...trouble, name: short(name) }),
    text: [...end, ...why, words.problems[problem] ?? ''].join(' '),
    url: `${workspaceUrl}/${pathOf(kind, trouble, subjectId)}`,
  }
}

function titleOf(kind: NoticeKind, { name, text }: Trouble): string {
  if (kind === 'channels' || kind === 'webhooks') return name
  const quoted = short((kind === 'series' ? name : text) ?? '')
  const post = quoted === '' ? words.withoutText : words.quoted(quoted)
  return kind === 'series' ? post : words.on(post, name)
}

function pathOf(kind: NoticeKind, { postId }: Trouble, subjectId: string): string {
  if (kind === 'channels') return 'channels'
  if (kind === 'series') return `series/${subjectId}`
  if (kind === 'webhooks') return `webhooks/${subjectId}`
  return `posts/${postId}`
}

/** What people and networks wrote. */
const short = (text: string, max = TEXT_MAX) => oneLine(text, max)
