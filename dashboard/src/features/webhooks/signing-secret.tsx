import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { words } from './words.ts'

export function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <SecretDialog
      {...{ title: words.signingSecret, name: words.secret, secret, onClose }}
      warning={words.secretHint}
    />
  )
}
