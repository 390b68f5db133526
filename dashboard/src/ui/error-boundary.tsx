import { Component, type ReactNode } from 'react'
import { ProblemNotice } from './states.tsx'

/** Keeps a fault of one screen from taking the others along. It is left by going to another address (`resetKey`). */
export class ErrorBoundary extends Component<
  { resetKey: string; children: ReactNode },
  { error: unknown; failed: boolean }
> {
  override state = { error: null as unknown, failed: false }

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true }
  }

  override componentDidUpdate(previous: { resetKey: string }): void {
    if (this.state.failed && previous.resetKey !== this.props.resetKey)
      this.setState({ error: null, failed: false })
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <ProblemNotice error={this.state.error} onRetry={() => this.setState({ error: null, failed: false })} />
    )
  }
}
