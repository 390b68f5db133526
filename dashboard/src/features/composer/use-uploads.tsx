import { type ReactNode, useRef, useState } from 'react'
import { UploadDialog } from './upload-dialog.tsx'
import { words } from './words.ts'

type Uploads = {
  /** Asks for files. */
  choose: () => void
  /** Takes files that were dropped or pasted. */
  take: (files: readonly File[]) => void
  /** To be rendered: the file input, and the dialog for the file whose turn it is. */
  element: ReactNode
}

/** Files on their way to the server, one after the other, each with its alt text. */
export function useUploads(onUploaded: (mediaId: string) => void): Uploads {
  const [files, setFiles] = useState<readonly File[]>([])
  const input = useRef<HTMLInputElement>(null)
  const [first, ...rest] = files
  const element = (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.upload.chooseFiles}
        onChange={(event) => setFiles([...(event.target.files ?? [])])}
      />
      {first === undefined ? null : (
        <UploadDialog
          key={`${files.length} ${first.name}`}
          file={first}
          onDone={(mediaId) => {
            onUploaded(mediaId)
            setFiles(rest)
          }}
          onClose={() => setFiles([])}
        />
      )}
    </>
  )
  return { choose: () => input.current?.click(), take: setFiles, element }
}
