/**
 * Subjects of findings, most likely cause first: ongoing harm, then the machine, the home from settings to stores,
 * the chain, and finally the peers.
 */
export const SUBJECTS = [
  'signing',
  'files',
  'disk',
  'limits',
  'clock',
  'versions',
  'leftovers',
  'configuration',
  'genesis',
  'keys',
  'store',
  'app hash',
  'split',
  'process',
  'consensus',
  'peers',
] as const

export type Subject = (typeof SUBJECTS)[number]

export interface Finding {
  readonly subject: Subject
  /** With warnings only, the home works. */
  readonly severity: 'fault' | 'warning'
  readonly what: string
  /** How to fix it, with the command if there is one. */
  readonly remedy: string
}

export function fault(subject: Subject, what: string, remedy: string): Finding {
  return { subject, severity: 'fault', what, remedy }
}

export function warning(subject: Subject, what: string, remedy: string): Finding {
  return { subject, severity: 'warning', what, remedy }
}

/** Returns findings without duplicates, most likely cause first. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>()
  return findings
    .filter(({ what }) => !seen.has(what) && seen.add(what))
    .map((finding, place) => ({ finding, place }))
    .sort(
      (a, b) =>
        SUBJECTS.indexOf(a.finding.subject) - SUBJECTS.indexOf(b.finding.subject) ||
        a.place - b.place,
    )
    .map(({ finding }) => finding)
}
