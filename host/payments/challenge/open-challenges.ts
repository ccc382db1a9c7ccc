import { mkdirSync } from 'node:fs'
import { challengeKey } from './challenge-key.ts'
import type { Challenges } from './challenges.ts'
import { IssueLog } from './issue-log.ts'
import { makeReference, openReference } from './reference.ts'

/** Seconds for which it is known when challenges were issued: longer than any proof may be shown after its payment. */
const KEPT_SECONDS = 7n * 86_400n

/**
 * The challenges of a folder, which is made where there is none; any number of processes may open it.
 * @throws CONFIG_INVALID where its key is none
 */
export function openChallenges(folder: string): Challenges {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = challengeKey(folder)
  const log = new IssueLog(folder, KEPT_SECONDS)
  return {
    issue(resource, now) {
      log.add(resource, now)
      return makeReference(key, resource, now)
    },
    issuedAt: (reference, resource) => openReference(key, resource, reference),
    issuedWithin: (resource, from, to) => log.within(resource, from, to),
    close: () => log.close(),
  }
}
