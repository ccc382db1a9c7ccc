import { rmSync } from 'node:fs'
import { writeFileAtomic } from '../consensus/validator/atomic-file.ts'

/** Tells scripts that the node answers, and where. */
export interface ReadyFacts {
  readonly rpc: string
  readonly ws: string
  readonly consensus: string
  readonly pid: number
  readonly chainId: number
  readonly home: string
}

/** Writes the file whole: a reader sees all of it or nothing. */
export async function writeReadyFile(path: string, facts: ReadyFacts): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(facts)}\n`)
}

/** Removes what an earlier run left, which would announce a node that is not there. */
export function removeReadyFile(path: string): void {
  rmSync(path, { force: true })
}
