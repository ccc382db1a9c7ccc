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
   * @throws the store's error if the row cannot be written
   */
  issue(resource: string, now: bigint): string | Promise<string>
  /** Returns when a reference was issued; undefined if it is foreign or for another resource. */
  issuedAt(reference: string, resource: string): bigint | undefined
  /** Returns whether a challenge of the resource was issued between the two times, inclusive. */
  issuedWithin(resource: string, from: bigint, to: bigint): boolean | Promise<boolean>
  close(): void | Promise<void>
}

/** Challenges in the files of a folder. */
export interface FolderChallenges extends Challenges {
  issue(resource: string, now: bigint): string
  issuedWithin(resource: string, from: bigint, to: bigint): boolean
  close(): void
}

/** Least retention of challenge times, seconds. */
const WEEK = 7 * 86_400

/** @param keptSeconds how long after its challenge a payment may be shown */
export function challengeRetention(keptSeconds: number): bigint {
  return BigInt(Math.ceil(Math.max(keptSeconds, WEEK)))
}

/**
 * Opens the challenges of a folder, which is created if missing. Several processes may open one folder.
 * @param keptSeconds how long after its challenge a payment may be shown
 * @throws CONFIG_INVALID if the key file is invalid
 */
export function openChallenges(folder: string, keptSeconds = WEEK): FolderChallenges {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = challengeKey(folder)
  const log = new IssueLog(folder, challengeRetention(keptSeconds))
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
