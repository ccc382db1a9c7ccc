import { REVISIONS } from './generated/revision.ts'

/** Protocol revisions in order. The DAO fork and the difficulty bombs change no execution rules and are not listed. */
export { REVISIONS }

export type Revision = (typeof REVISIONS)[number]

export function revisionNumber(revision: Revision): number {
  return REVISIONS.indexOf(revision)
}

export function atLeast(revision: Revision, other: Revision): boolean {
  return revisionNumber(revision) >= revisionNumber(other)
}
