import type { CredentialLimits } from '@postrider/contract'
import { noApprovalPolicy } from '@postrider/contract/names'
import { useState } from 'react'
import { fieldError } from '../../api/problem.ts'
import { Check, Field, NumberField, TextField } from '../../ui/field.tsx'
import { useChannels } from '../channels/use-channels.ts'
import styles from './credentials.module.css'
import { PolicyFields } from './policy-fields.tsx'
import { words } from './words.ts'

type LimitsFieldsProps = {
  limits: CredentialLimits
  error: unknown
  /** Where the limits stand in the request, as a JSON Pointer. */
  at: string
  onChange: (limits: CredentialLimits) => void
}

/** What a credential is narrowed to besides its permissions; what is left empty narrows nothing. */
export function LimitsFields({ limits, error, at, onChange }: LimitsFieldsProps) {
  const change = (part: Partial<CredentialLimits>) => onChange({ ...limits, ...part })
  const errorOf = (member: string) => fieldError(error, `${at}/${member}`)
  return (
    <div className={styles.limits}>
      <Check
        label={words.draftsOnlyLabel}
        hint={words.draftsOnlyHint}
        checked={limits.draftsOnly}
        onChange={(draftsOnly) => change({ draftsOnly })}
      />
      <ChannelChoice
        chosen={limits.channelIds}
        error={errorOf('channelIds')}
        onChange={(channelIds) => change({ channelIds })}
      />
      <TextField
        label={words.labelLabel}
        hint={words.labelHint}
        maxLength={50}
        autoComplete="off"
        value={limits.label ?? ''}
        error={errorOf('label')}
        onChange={(label) => change({ label: label.trim() === '' ? null : label })}
      />
      <NumberField
        label={words.postsPerDayLabel}
        value={limits.postsPerDay}
        error={errorOf('postsPerDay')}
        onChange={(postsPerDay) => change({ postsPerDay })}
      />
      <NumberField
        label={words.hoursAheadLabel}
        value={limits.publishWithinHours}
        error={errorOf('publishWithinHours')}
        onChange={(publishWithinHours) => change({ publishWithinHours })}
      />
      <NetworksField
        networks={limits.networks}
        error={errorOf('networks')}
        onChange={(networks) => change({ networks })}
      />
      <PolicyFields
        policy={limits.approval ?? noApprovalPolicy}
        errorOf={(member) => errorOf(`approval/${member}`)}
        onChange={(approval) => change({ approval })}
      />
    </div>
  )
}

type ChoiceProps<Value> = { error: string | null; onChange: (value: Value | null) => void }

function ChannelChoice({
  chosen,
  error,
  onChange,
}: ChoiceProps<string[]> & { chosen: readonly string[] | null }) {
  const { channels } = useChannels()
  const ids = chosen ?? []
  function choose(channelId: string, on: boolean): void {
    const next = on ? [...ids, channelId] : ids.filter((id) => id !== channelId)
    onChange(next.length === 0 ? null : next)
  }
  return (
    <fieldset className={styles.group}>
      <legend>{words.channels}</legend>
      <p>{words.allChannels}</p>
      {channels.map(({ channelId, displayName }) => (
        <Check
          key={channelId}
          label={displayName}
          checked={ids.includes(channelId)}
          onChange={(on) => choose(channelId, on)}
        />
      ))}
      {error === null ? null : <p role="alert">{error}</p>}
    </fieldset>
  )
}

function NetworksField({
  networks,
  error,
  onChange,
}: ChoiceProps<string[]> & { networks: readonly string[] | null }) {
  const [text, setText] = useState(networks?.join(', ') ?? '')
  return (
    <Field label={words.networks} hint={words.networksHint} error={error}>
      {(control) => (
        <input
          {...control}
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            const given = target.value.split(/[\s,]+/).filter((one) => one !== '')
            onChange(given.length === 0 ? null : given)
          }}
        />
      )}
    </Field>
  )
}
