import { REVISIONS } from './generated/revision.ts'

/** Protocol revisions in order. The DAO fork and the difficulty bombs change no execution rules and are not listed. */
export { REVISIONS }

export type Revision = (typeof REVISIONS)[number]

/** Revisions that this node's own chain may have. Only imported blocks have later ones. */
export const OWN_REVISIONS: readonly Revision[] = REVISIONS.slice(0, REVISIONS.indexOf('Osaka') + 1)

export function revisionNumber(revision: Revision): number {
  return REVISIONS.indexOf(revision)
}

export function atLeast(revision: Revision, other: Revision): boolean {
  return revisionNumber(revision) >= revisionNumber(other)
}
