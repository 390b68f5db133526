const names: Readonly<Record<string, string>> = {
  'sandbox-short': 'Sandbox (short posts)',
  'sandbox-professional': 'Sandbox (long posts)',
  linkedin: 'LinkedIn',
}

/** A network as people call it. */
export function networkName(provider: string): string {
  return names[provider] ?? provider.slice(0, 1).toUpperCase() + provider.slice(1)
}
