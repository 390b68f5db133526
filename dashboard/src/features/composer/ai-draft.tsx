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
        Write with AI
      </Button>
      {open ? <AiDraftDialog {...{ draft, onChange }} onClose={() => setOpen(false)} /> : null}
    </div>
  )
}

const results: Readonly<Record<DraftResult, string>> = {
  draft: 'A new text',
  thread: 'A new thread',
  rewrite: 'Your text, rewritten',
  shorten: 'Your text, shorter',
  expand: 'Your text, longer',
}
const FIELDS = ['/brief', '/tone', '/language']

function AiDraftDialog({ draft, onChange, onClose }: AiDraftProps & { onClose: () => void }) {
  const { workspaceId } = useSession().workspace
  const currentText = draft.shared.parts[0]?.text.trim() ?? ''
  const [brief, setBrief] = useState('')
  const [tone, setTone] = useState('friendly, plain')
  const [language, setLanguage] = useState(navigator.language)
  const [result, setResult] = useState<DraftResult>('draft')
  const [tailored, setTailored] = useState(false)
  const generate = useWrite('appGeneratePostDrafts')
  const fromText = result !== 'draft' && result !== 'thread'

  function send(): void {
    const body = {
      ...{
        confirmed: true as const,
        brief: brief.trim(),
        tone: tone.trim(),
        language: language.trim(),
        result,
      },
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
    <Dialog title="Write with AI" onClose={onClose}>
      <TextArea
        label="What it is to be about"
        error={fieldError(generate.error, '/brief')}
        rows={4}
        maxLength={10_000}
        value={brief}
        onChange={setBrief}
      />
      <Field label="What you want">
        {(control) => (
          <select
            {...control}
            value={result}
            onChange={(event) => setResult(event.target.value as DraftResult)}
          >
            {Object.entries(results).map(([one, label]) => (
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
        label="Tone"
        error={fieldError(generate.error, '/tone')}
        maxLength={200}
        value={tone}
        onChange={setTone}
      />
      <TextField
        label="Language"
        hint="As a tag, such as en or de-AT."
        error={fieldError(generate.error, '/language')}
        maxLength={35}
        value={language}
        onChange={setLanguage}
      />
      {draft.channelIds.length < 2 ? null : (
        <Check label="A text of its own for each channel" checked={tailored} onChange={setTailored} />
      )}
      {isAboutFields(generate.error, FIELDS) ? null : <WriteProblem error={generate.error} />}
      <p>It replaces the text in the composer. Nothing is saved or published by it.</p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          busy={generate.isPending}
          disabled={brief.trim() === '' || tone.trim() === '' || language.trim() === ''}
          onClick={send}
        >
          Write it
        </Button>
      </DialogActions>
    </Dialog>
  )
}
