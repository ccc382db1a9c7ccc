import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Tells scripts that the node answers, and where. */
export interface ReadyFacts {
  /** Null when the EVM JSON-RPC is off. */
  readonly rpc: string | null
  readonly ws: string | null
  /** Page that shows blocks and transactions; null where it is not served. */
  readonly explorer: string | null
  /** Null where an imported chain is served. */
  readonly consensus: string | null
  /** Page of the metrics for Prometheus; null when they are off. */
  readonly metrics: string | null
  /** Where resources are sold; null where nothing is. */
  readonly payments: string | null
  /** Contract of the token that they are paid in. */
  readonly paymentToken: string | null
  /** Where the API of wallets answers; null where none are held. */
  readonly wallets: string | null
  readonly pid: number
  readonly chainId: number
  readonly home: string
}

/** A node of a network, as `network start` tells of it. */
export interface NetworkReadyFacts extends ReadyFacts {
  readonly name: string
  readonly mode: 'validator' | 'full'
}

/**
 * Writes the file whole: a reader sees all of it or nothing. Once it is there nothing more is done with
 * its folder, which the reader may remove at once.
 */
export function writeReadyFile(
  path: string,
  facts: ReadyFacts | readonly NetworkReadyFacts[],
): void {
  const temporary = `${path}.tmp`
  writeFileSync(temporary, `${JSON.stringify(facts)}\n`)
  renameSync(temporary, path)
}

/** The facts that a node running on this machine has written; undefined where none runs. */
export function readReadyFile(path: string): ReadyFacts | undefined {
  try {
    const facts = JSON.parse(readFileSync(path, 'utf8')) as ReadyFacts
    // A killed node has left its file behind.
    process.kill(facts.pid, 0)
    return facts
  } catch {
    return undefined
  }
}

/** Removes what an earlier run left, which would announce a node that is not there. */
export function removeReadyFile(path: string): void {
  rmSync(path, { force: true })
}
