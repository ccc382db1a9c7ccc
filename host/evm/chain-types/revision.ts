import { REVISIONS } from './generated/revision.ts'

/** The protocol's revisions. The DAO fork and the difficulty bombs change no execution rule and are none. */
export { REVISIONS }

export type Revision = (typeof REVISIONS)[number]

export function revisionNumber(revision: Revision): number {
  return REVISIONS.indexOf(revision)
}

export function atLeast(revision: Revision, other: Revision): boolean {
  return revisionNumber(revision) >= revisionNumber(other)
}
