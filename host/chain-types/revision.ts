/**
 * Protocol revisions in order; the index is the number the engine takes (assembly/evm/revision.ts).
 * DAO fork and difficulty bombs change no execution rule and have no entry.
 */
export const REVISIONS = [
  'Frontier',
  'Homestead',
  'TangerineWhistle',
  'SpuriousDragon',
  'Byzantium',
  'Constantinople',
  'Petersburg',
  'Istanbul',
  'Berlin',
  'London',
  'Paris',
  'Shanghai',
  'Cancun',
  'Prague',
  'Osaka',
] as const

export type Revision = (typeof REVISIONS)[number]

export function revisionNumber(revision: Revision): number {
  return REVISIONS.indexOf(revision)
}

export function atLeast(revision: Revision, other: Revision): boolean {
  return revisionNumber(revision) >= revisionNumber(other)
}
