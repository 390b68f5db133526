import './load-ahead.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { language } from './lib/language.ts'
import { App } from './router.tsx'
import './styles/base.css'
import './styles/tokens.css'
import { applyTheme } from './ui/theme.ts'
import { Toasts } from './ui/toast.tsx'

applyTheme()
document.documentElement.lang = language

const container = document.getElementById('root')
if (container === null) throw new Error('the page has no root')
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
