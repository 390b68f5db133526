import type { PostFilter } from '@postrider/contract'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { PostsSearch } from '../../addresses.ts'
import { useSession } from '../../session.tsx'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/toast.tsx'
import { rangeOfSpan } from './use-listed.ts'
import { words } from './words.ts'

const TYPES = { csv: 'text/csv', json: 'application/json' } as const

/** Saves the posts of the list as a file, by its filters of status, channel, label and time. */
export function ExportMenu({ search }: { search: PostsSearch }): ReactNode {
  const { workspaceId, timeZone } = useSession().workspace
  const { status, channelId, label, span } = search
  const save = useMutation({
    mutationFn: (format: keyof typeof TYPES) =>
      call('appExportPosts', {
        params: { workspaceId },
        query: {
          format,
          ...(status === undefined ? {} : { status: status as PostFilter }),
          ...(channelId === undefined ? {} : { channelId }),
          ...(label === undefined ? {} : { label }),
          ...(span === undefined ? {} : rangeOfSpan(span, timeZone)),
        },
      }),
    onSuccess: ({ posts, file }, format) => {
      saveFile(`posts.${format}`, TYPES[format], file)
      announce(words.exported(posts))
    },
    onError: (error) => announce(explainProblem(error).detail),
  })
  return (
    <>
      <Button busy={save.isPending && save.variables === 'csv'} onClick={() => save.mutate('csv')}>
        {words.exportCsv}
      </Button>
      <Button busy={save.isPending && save.variables === 'json'} onClick={() => save.mutate('json')}>
        {words.exportJson}
      </Button>
    </>
  )
}
