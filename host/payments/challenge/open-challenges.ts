import { mkdirSync } from 'node:fs'
import { challengeKey } from './challenge-key.ts'
import type { Challenges } from './challenges.ts'
import { IssueLog } from './issue-log.ts'
import { makeReference, openReference } from './reference.ts'

/** Seconds for which it is known at least when challenges were issued. */
const WEEK = 7 * 86_400

/**
 * The challenges of a folder, which is made where there is none; any number of processes may open it.
 * @param keptSeconds time for which a payment may be shown after its challenge
 * @throws CONFIG_INVALID where its key is none
 */
export function openChallenges(folder: string, keptSeconds = WEEK): Challenges {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = challengeKey(folder)
  const log = new IssueLog(folder, BigInt(Math.ceil(Math.max(keptSeconds, WEEK))))
  return {
    issue(resource, now) {
      // A time that a reference has no room for leaves no row.
      const reference = makeReference(key, resource, now)
      log.add(resource, now)
      return reference
    },
    issuedAt: (reference, resource) => openReference(key, resource, reference),
    issuedWithin: (resource, from, to) => log.within(resource, from, to),
    close: () => log.close(),
  }
}
