/**
 * What findings are about, in the order of cause: what does harm by going on first, then what the machine lacks, then
 * the home from its settings to its stores, then what the chain and at last the peers say of it.
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
  /** A warning alone leaves a home that works. */
  readonly severity: 'fault' | 'warning'
  readonly what: string
  /** What mends it, with the command where one does. */
  readonly remedy: string
}

export function fault(subject: Subject, what: string, remedy: string): Finding {
  return { subject, severity: 'fault', what, remedy }
}

export function warning(subject: Subject, what: string, remedy: string): Finding {
  return { subject, severity: 'warning', what, remedy }
}

/** Findings in the order of cause, each once. */
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
