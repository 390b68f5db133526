import { type AnswerOf, call } from '../../api/client.ts'

type Upload = { readonly file: File; readonly altText: string; readonly idempotencyKey: string }

/** Uploads a file; the same again under its key has no second effect. */
export function uploadFile(
  workspaceId: string,
  { file, altText, idempotencyKey }: Upload,
): Promise<AnswerOf<'appUploadMedia'>> {
  const form = new FormData()
  form.set('confirmed', 'true')
  if (altText.trim() !== '') form.set('altText', altText.trim())
  form.set('file', file)
  const input = { params: { workspaceId }, body: undefined } as never
  return call('appUploadMedia', input, { idempotencyKey, form })
}
