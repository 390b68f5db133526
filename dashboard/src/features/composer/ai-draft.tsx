import type { DraftResult } from '@postrider/contract'
import { useQuery } from '@tanstack/react-query'
import { Sparkles } from '../../ui/icons.ts'
import { useState } from 'react'
import { fieldError, isAboutFields } from '../../api/problem.ts'
import { read, useWrite } from '../../api/queries.ts'
import { useMay, useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Check, Field, TextArea, TextField } from '../../ui/field.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { type Draft, withGenerated } from './draft.ts'
import { words } from './words.ts'

type AiDraftProps = { draft: Draft; onChange: (draft: Draft) => void }

/** The way to a text by a model, where the server can ask one. */
export function AiDraft({ draft, onChange }: AiDraftProps) {
  const { workspaceId } = useSession().workspace
  const mayGenerate = useMay('ai:generate')
  const [open, setOpen] = useState(false)
  const models = useQuery({ ...read('appListAiModels', { params: { workspaceId } }), enabled: mayGenerate })
  if (models.data?.models.some(({ makes }) => makes === 'text') !== true) return null
  return (
    <div>
      <Button disabled={draft.channelIds.length === 0} onClick={() => setOpen(true)}>
        <Sparkles aria-hidden />
        {words.ai.title}
      </Button>
      {open ? <AiDraftDialog {...{ draft, onChange }} onClose={() => setOpen(false)} /> : null}
    </div>
  )
}

const FIELDS = ['/brief', '/tone', '/language']

function AiDraftDialog({ draft, onChange, onClose }: AiDraftProps & { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const currentText = draft.shared.parts[0]?.text.trim() ?? ''
  const [brief, setBrief] = useState('')
  const [tone, setTone] = useState(words.ai.usualTone)
  const [language, setLanguage] = useState(navigator.language)
  const [result, setResult] = useState<DraftResult>('draft')
  const [tailored, setTailored] = useState(false)
  const generate = useWrite('appGeneratePostDrafts')
  const fromText = result !== 'draft' && result !== 'thread'

  function send(): void {
    const body = {
      confirmed: true as const,
      brief: brief.trim(),
      tone: tone.trim(),
      language: language.trim(),
      result,
      ...(fromText ? { currentText } : {}),
      destinations: draft.channelIds.map((id) => ({ id })),
      mode: tailored ? ('tailored' as const) : ('shared' as const),
    }
    generate.mutate(
      { params: { workspaceId }, body },
      {
        onSuccess: ({ variants }) => {
          onChange(withGenerated(draft, variants))
          onClose()
        },
      },
    )
  }

  return (
    <Dialog title={words.ai.title} onClose={onClose}>
      <TextArea
        label={words.ai.topic}
        error={fieldError(generate.error, '/brief')}
        rows={4}
        maxLength={10_000}
        value={brief}
        onChange={setBrief}
      />
      <Field label={words.ai.wanted}>
        {(control) => (
          <select
            {...control}
            value={result}
            onChange={(event) => setResult(event.target.value as DraftResult)}
          >
            {Object.entries(words.ai.results).map(([one, label]) => (
              <option
                key={one}
                value={one}
                disabled={currentText === '' && one !== 'draft' && one !== 'thread'}
              >
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label={words.ai.tone}
        error={fieldError(generate.error, '/tone')}
        maxLength={200}
        value={tone}
        onChange={setTone}
      />
      <TextField
        label={words.ai.language}
        hint={words.ai.languageHint}
        error={fieldError(generate.error, '/language')}
        maxLength={35}
        value={language}
        onChange={setLanguage}
      />
      {draft.channelIds.length < 2 ? null : (
        <Check label={words.ai.tailored} checked={tailored} onChange={setTailored} />
      )}
      {isAboutFields(generate.error, FIELDS) ? null : <WriteProblem error={generate.error} />}
      <p>{words.ai.replaces}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ai.close}</Button>
        <Button
          variant="primary"
          busy={generate.isPending}
          disabled={brief.trim() === '' || tone.trim() === '' || language.trim() === ''}
          onClick={send}
        >
          {words.ai.write}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
