import type { app } from '@postrider/contract'
import { tagLinks } from '@postrider/contract/names'
import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useMay } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { announce } from '../../ui/toast.tsx'
import { WriteProblem } from '../../ui/write-problem.tsx'
import { parametersText, ruleOf } from './link-tags.ts'
import styles from './settings.module.css'
import { words } from './words.ts'

/** What is added to the links of posts. */
export function LinkTagsSection({ workspace: { workspaceId, linkTags } }: { workspace: app.WorkspaceView }) {
  const mayManage = useMay('workspace:manage')
  const [parameters, setParameters] = useState(parametersText(linkTags))
  const [hosts, setHosts] = useState((linkTags?.hosts ?? []).join(', '))
  const update = useWrite('updateWorkspace')
  const rule = ruleOf(parameters, hosts)
  const example = `https://${rule?.hosts[0] ?? 'example.com'}/news`
  return (
    <form
      className={styles.section}
      aria-labelledby="link-tags"
      onSubmit={(event) => {
        event.preventDefault()
        update.mutate(
          { params: { workspaceId }, body: { linkTags: rule } },
          { onSuccess: () => announce(words.linkTags.saved) },
        )
      }}
    >
      <h2 id="link-tags">{words.linkTags.title}</h2>
      <p>{words.linkTags.lead}</p>
      <TextField
        label={words.linkTags.parameters}
        hint={words.linkTags.parametersHint}
        placeholder={words.linkTags.parametersExample}
        disabled={!mayManage}
        value={parameters}
        onChange={setParameters}
      />
      <TextField
        label={words.linkTags.hosts}
        hint={words.linkTags.hostsHint}
        placeholder={words.linkTags.hostsExample}
        disabled={!mayManage}
        value={hosts}
        onChange={setHosts}
      />
      <p role="status">
        {rule === null ? words.linkTags.off : words.linkTags.example(tagLinks(example, rule, EXAMPLE))}
      </p>
      <WriteProblem error={update.error} />
      {mayManage ? (
        <div>
          <Button type="submit" busy={update.isPending}>
            {words.linkTags.save}
          </Button>
        </div>
      ) : null}
    </form>
  )
}

const EXAMPLE = { channel: 'acme', network: 'bluesky', label: 'Spring sale' }
