/** A label as labels are compared, as the server does it: composed (NFC), and without case. */
export function labelKey(label: string): string {
  return label.trim().normalize('NFC').toLowerCase().normalize('NFC')
}

/** The labels with one more, unless they have it in another case. */
export function withLabel(labels: readonly string[], label: string): readonly string[] {
  const typed = label.trim()
  if (typed === '' || labels.some((one) => labelKey(one) === labelKey(typed))) return labels
  return [...labels, typed]
}
