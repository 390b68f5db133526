/** What a terminal sends to all of its processes: for Ctrl-C and Ctrl-\, and when it is closed. */
export const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const

/** What has a server finish its work and end. */
export const STOP_SIGNALS = ['SIGTERM', ...TERMINAL_SIGNALS] as const
