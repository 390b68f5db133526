import { fetchFile, type GivenAddress } from '../edge/operations/fetch-file.ts'
import { isRefusal, type Refusal, ThrownRefusal } from '../edge/operations/refusal.ts'
import type { Upload } from '../edge/operations/route.ts'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import { type CheckedFile, type MediaParts, receiveUpload } from './upload-media.ts'

/**
 * An upload of the file at an address. It is fetched when it is prepared: a repeat that is answered by its record fetches
 * nothing.
 */
export function fetchUpload(
  parts: MediaParts & { readonly outbound: Outbound },
  workspaceId: string,
  address: string,
  given: GivenAddress,
): Upload<CheckedFile> {
  let received: Upload<CheckedFile> | null = null
  const dispose = async () => received?.dispose()
  return {
    sha256: null,
    async prepare() {
      await dispose()
      const file = await fetchFile(address, parts.outbound, given)
      if (isRefusal(file)) return file
      const upload = await receiveUpload(parts, workspaceId, file).catch(refusalOf)
      if (isRefusal(upload)) return upload
      received = upload
      return upload.prepare()
    },
    dispose,
  }
}

function refusalOf(fault: unknown): Refusal {
  if (fault instanceof ThrownRefusal) return fault.refusal
  throw fault
}
