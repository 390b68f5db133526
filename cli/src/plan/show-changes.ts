import { counted, excerpt, timeCell, visible } from '../terminal.ts'
import type { Change } from './diff.ts'
import type { PlannedTarget, PlannedTime } from '@postrider/contract/plan'

const marks = { create: '+', change: '~', cancel: '-', same: '=', left: '.', drift: '!' } as const

/** Whether something would be done. */
export function isChange({ is }: Change): boolean {
  return is === 'create' || is === 'change' || is === 'cancel'
}

/** Changes for people: a line or more for each, but for what stays as it is. */
export function changesText(plan: string, changes: readonly Change[]): string {
  const lines = changes
    .filter(({ is }) => is !== 'same')
    .map((change) => `${marks[change.is]} ${change.id}: ${sayChange(change)}`)
  const count = (is: Change['is']) => changes.filter((change) => change.is === is).length
  const sum = [
    ...(['create', 'change', 'cancel'] as const).map((is) => `${count(is)} to ${is}`),
    `${count('same')} unchanged`,
    ...(count('left') > 0 ? [`${count('left')} left alone`] : []),
    ...(count('drift') > 0 ? [`${count('drift')} changed manually (--force undoes that)`] : []),
  ].join(', ')
  return [...lines, `${plan}: ${counted(changes.length, 'post')}: ${sum}.`].join('\n')
}

function sayChange(change: Change): string {
  switch (change.is) {
    case 'create':
      return `created ${whenAndWhere(change.planned.targets)}: ${textOf(change.planned.targets)}`
    case 'change':
      return [
        ...change.edited.map(
          ({ name, parts }) => `edited on ${name}: ${visible(excerpt(parts[0]?.text ?? ''))}`,
        ),
        ...change.moved.map(
          ({ target, from, to }) => `moved on ${target.name}: ${timeCell(from)} → ${timeOf(to)}`,
        ),
        ...change.added.map(({ name }) => `added to ${name}`),
        ...(change.removed.length > 0 ? [`removed from ${counted(change.removed.length, 'channel')}`] : []),
        ...(change.by === null ? [] : [`undoes what was changed by ${visible(change.by)}`]),
      ].join('; ')
    case 'cancel':
      return `cancelled, because it is no longer in the plan${change.by === null ? '' : `; was changed by ${visible(change.by)}`}`
    case 'left':
      return `left alone: ${change.why}${change.differs && change.post !== null ? '; it differs from the plan' : ''}`
    case 'drift':
      return `changed manually (${change.fields.join(', ')}) by ${visible(change.by)}`
    case 'same':
      return 'as it is'
  }
}

function whenAndWhere(targets: readonly PlannedTarget[]): string {
  const times = [...new Set(targets.map(({ at }) => (at === null ? 'as a draft' : timeOf(at))))].join(', ')
  return `${times} on ${targets.map(({ name }) => name).join(', ')}`
}

function timeOf(at: PlannedTime): string {
  return typeof at === 'number' ? timeCell(new Date(at).toISOString()) : `${at} in the queue`
}

function textOf(targets: readonly PlannedTarget[]): string {
  return visible(excerpt(targets[0]?.parts[0]?.text ?? ''))
}

/** The same for programs. */
export function changesJson(changes: readonly Change[]): object[] {
  return changes.map((change) => ({
    id: change.id,
    change: change.is,
    postId: change.is === 'create' ? null : (change.post?.postId ?? null),
    says: sayChange(change),
    ...(change.is === 'change'
      ? {
          edited: change.edited.length > 0,
          moved: change.moved.length > 0,
          added: change.added.length,
          removed: change.removed.length,
        }
      : {}),
    ...(change.is === 'drift' ? { by: change.by, fields: change.fields } : {}),
  }))
}
