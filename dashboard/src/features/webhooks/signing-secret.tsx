import { SecretDialog } from '../../ui/secret-dialog.tsx'

export function SigningSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <SecretDialog
      {...{ title: 'Signing secret', name: 'Secret', secret, onClose }}
      warning="This secret is shown only once. Your receiver verifies with it that an event came from here."
    />
  )
}
