import { mkdirSync } from 'node:fs'
import { challengeKey } from './challenge-key.ts'
import { IssueLog } from './issue-log.ts'
import { makeReference, openReference } from './reference.ts'

/**
 * Issues challenge references and records when each resource was challenged. Times are in seconds since 1970; a
 * resource is named by its configured path.
 */
export interface Challenges {
  /**
   * Returns a new unguessable reference. Writes at most one row per second and resource, even under a flood.
   * @throws the disk's error if the row cannot be written
   */
  issue(resource: string, now: bigint): string
  /** Returns when a reference was issued; undefined if it is foreign or for another resource. */
  issuedAt(reference: string, resource: string): bigint | undefined
  /** Returns whether a challenge of the resource was issued between the two times, inclusive. */
  issuedWithin(resource: string, from: bigint, to: bigint): boolean
  close(): void
}

/** Default retention of challenge times, seconds. */
const WEEK = 7 * 86_400

/**
 * Opens the challenges of a folder, which is created if missing. Several processes may open one folder.
 * @param keptSeconds how long after its challenge a payment may be shown
 * @throws CONFIG_INVALID if the key file is invalid
 */
export function openChallenges(folder: string, keptSeconds = WEEK): Challenges {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = challengeKey(folder)
  const log = new IssueLog(folder, BigInt(Math.ceil(Math.max(keptSeconds, WEEK))))
  return {
    issue(resource, now) {
      // Make the reference first: if it throws for an oversized time, no row is written.
      const reference = makeReference(key, resource, now)
      log.add(resource, now)
      return reference
    },
    issuedAt: (reference, resource) => openReference(key, resource, reference),
    issuedWithin: (resource, from, to) => log.within(resource, from, to),
    close: () => log.close(),
  }
}
