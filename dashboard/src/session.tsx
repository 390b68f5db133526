import type { app, Right } from '@postrider/contract'
import { createContext, useContext } from 'react'

/** Who is signed in, and the workspace that the address names. */
export type Session = { readonly me: app.PersonalMe; readonly workspace: app.MyWorkspace }

const SessionContext = createContext<Session | null>(null)

export const SessionProvider = SessionContext.Provider

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('there is no session around this screen')
  return session
}

/** Whether the person's role in the workspace allows it. The server decides all the same. */
export function useMay(right: Right): boolean {
  return useSession().workspace.rights.includes(right)
}
