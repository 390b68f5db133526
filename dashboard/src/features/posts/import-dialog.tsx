import { decodeText, importOf } from '@postrider/contract/names'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { isProblem, type Problem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { showMoment } from '../../lib/time.ts'
import { useSession } from '../../session.tsx'
import { sentence } from '../../terms/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/states.tsx'
import { announce } from '../../ui/toast.tsx'
import { uploadFile } from '../composer/upload-file.ts'
import { placesOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { words as channelWords } from '../channels/words.ts'
import { baseOf, nextNames } from './import-media.ts'
import styles from './posts.module.css'
import { words } from './words.ts'

type Chosen = { readonly text: string; readonly format: 'csv' | 'plan'; readonly name: string }
type Media = Readonly<Record<string, string>>
type Fault = NonNullable<Problem['errors']>[number] & { line?: number; altText?: string }

/** A CSV file or a plan becomes posts. What will be made is shown before, and what keeps it from that, with the lines. */
export function ImportDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { workspaceId } = useSession().workspace
  const { channels } = useChannels()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [place, setPlace] = useState<string | undefined>()
  const [uploaded, setUploaded] = useState<{ of: string; media: Media }>({ of: '', media: {} })
  // Another file means others by the same names.
  const media = uploaded.of === chosen?.text ? uploaded.media : {}

  const send = (dryRun: boolean, file: Chosen, given: Media) =>
    call('appImportPosts', {
      params: { workspaceId },
      body: {
        confirmed: true,
        format: file.format,
        file: file.text,
        dryRun,
        ...(file.format === 'csv' ? { name: file.name } : {}),
        ...(place === undefined ? {} : { channelIds: [place] }),
        ...(Object.keys(given).length === 0 ? {} : { media: given }),
      },
    })
  const preview = useMutation({
    mutationFn: ({ file, given }: { file: Chosen; given: Media }) => send(true, file, given),
  })
  const run = useMutation({
    mutationFn: (file: Chosen) => send(false, file, media),
    onSuccess: async ({ created }) => {
      await readAnew()
      announce(words.imported(created))
      onClose()
    },
  })
  const upload = useMutation({
    async mutationFn({
      of,
      files,
      missing,
    }: {
      of: Chosen
      files: readonly File[]
      missing: readonly Fault[]
    }) {
      const made: Record<string, string> = { ...media }
      const next = nextNames(missing.map(nameIn))
      for (const fault of missing) {
        const name = nameIn(fault)
        const file = next.includes(name) ? files.find((one) => one.name === baseOf(name)) : undefined
        if (file === undefined) continue
        const key = { idempotencyKey: crypto.randomUUID(), altText: fault.altText ?? '' }
        made[name] = (await uploadFile(workspaceId, { file, ...key })).mediaId
      }
      return { of, made }
    },
    onSuccess: ({ of, made }) => {
      setUploaded({ of: of.text, media: made })
      if (chosen?.text === of.text) preview.mutate({ file: chosen, given: made })
    },
  })

  const change = (file: Chosen) => {
    run.reset()
    preview.reset()
    setChosen(file)
  }
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    change({ text: decodeText(new Uint8Array(await file.arrayBuffer())), ...importOf(file.name) })
  }
  const error = run.error ?? preview.error
  const faults = isProblem(error, 'import_refused') ? (error.problem.errors ?? []) : []
  const missing = (faults as readonly Fault[]).filter(({ code }) => code === 'media_missing')
  const isReady = preview.data !== undefined && preview.data.created > 0
  return (
    <Dialog wide title={words.importPosts} onClose={onClose}>
      <Field label={words.importFile} hint={words.importHint}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".csv,.tsv,.txt,.yaml,.yml,.json"
            onChange={({ target }) => void take(target.files?.[0])}
          />
        )}
      </Field>
      {chosen?.format === 'csv' ? (
        <>
          <Field label={words.importName} hint={words.importNameHint}>
            {(control) => (
              <input
                {...control}
                value={chosen.name}
                maxLength={80}
                onChange={({ target }) => change({ ...chosen, name: target.value })}
              />
            )}
          </Field>
          <Field label={words.importTo}>
            {(control) => (
              <select
                {...control}
                value={place ?? ''}
                onChange={({ target }) => {
                  setPlace(target.value || undefined)
                  change(chosen)
                }}
              >
                <option value="">{words.importToNone}</option>
                {placesOf(channels, channelWords.allOf).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      ) : null}
      {preview.data === undefined ? null : <Preview imported={preview.data} />}
      {missing.length > 0 ? (
        <Field label={words.importMedia} hint={nextNames(missing.map(nameIn)).slice(0, SHOWN).join(', ')}>
          {(control) => (
            <input
              {...control}
              key={missing.map(nameIn).join(' ')}
              type="file"
              multiple
              onChange={({ target }) =>
                chosen !== null && upload.mutate({ of: chosen, files: [...(target.files ?? [])], missing })
              }
            />
          )}
        </Field>
      ) : faults.length > 0 ? (
        <Faults faults={faults} />
      ) : error === null ? null : (
        <ProblemNotice error={error} />
      )}
      {upload.error === null ? null : <ProblemNotice error={upload.error} />}
      <DialogActions>
        <Button onClick={onClose}>{words.close}</Button>
        {isReady && chosen !== null ? (
          <Button variant="primary" busy={run.isPending} onClick={() => run.mutate(chosen)}>
            {words.importNow(preview.data?.created ?? 0)}
          </Button>
        ) : (
          <Button
            variant="primary"
            busy={preview.isPending || upload.isPending}
            disabled={chosen === null}
            onClick={() => chosen !== null && preview.mutate({ file: chosen, given: media })}
          >
            {words.importCheck}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

/** The name under which the file has a picture. */
function nameIn({ pointer }: Fault): string {
  return pointer.slice('/media/'.length).replaceAll('~1', '/').replaceAll('~0', '~')
}

const SHOWN = 50

function Preview({ imported: { created, posts } }: { imported: AnswerOf<'appImportPosts'> }) {
  const { timeZone: zone } = useSession().workspace
  const { nameOf } = useChannels()
  const made = posts.filter((post) => post.created)
  return (
    <>
      <p role="status">{words.importPreview(created, posts.length - created)}</p>
      <ol className={styles.names} aria-label={words.importWill}>
        {made.slice(0, SHOWN).map(({ id, line, text, reviewStatus, destinations }) => (
          <li key={id}>
            {words.importLine(line)}: <span dir="auto">{text.slice(0, EXCERPT) || words.withoutText}</span>
            {destinations.map(({ channelId, publishAt }) => (
              <span key={channelId} className={styles.imported}>
                {nameOf(channelId)}, {publishAt === null ? words.noTime : showMoment(publishAt, zone)}
              </span>
            ))}
            {reviewStatus === 'pending' ? <span className={styles.imported}>{words.waiting}</span> : null}
          </li>
        ))}
        {made.length > SHOWN ? <li>{words.andMore(made.length - SHOWN)}</li> : null}
      </ol>
    </>
  )
}

const EXCERPT = 80

function Faults({ faults }: { faults: readonly Fault[] }) {
  return (
    <Notice tone="red" live>
      <p>{words.importNothing}</p>
      <ul className={styles.names}>
        {faults.slice(0, SHOWN).map(({ line, detail }) => (
          <li key={`${line} ${detail}`}>
            {line === undefined ? '' : `${words.importLine(line)}: `}
            {sentence(detail)}
          </li>
        ))}
        {faults.length > SHOWN ? <li>{words.andMore(faults.length - SHOWN)}</li> : null}
      </ul>
    </Notice>
  )
}
