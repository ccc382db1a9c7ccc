import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Tells scripts that the node is ready, and its addresses. */
export interface ReadyFacts {
  /** Null if the EVM JSON-RPC is off. */
  readonly rpc: string | null
  readonly ws: string | null
  /** URL of the explorer; null if it is not served. */
  readonly explorer: string | null
  /** Null if an imported chain is served. */
  readonly consensus: string | null
  /** URL of the metrics for Prometheus; null if they are off. */
  readonly metrics: string | null
  /** URL at which resources are sold; null if there are none. */
  readonly payments: string | null
  /** Contract of the payment token. */
  readonly paymentToken: string | null
  /** URL of the wallet API; null if the node holds no wallets. */
  readonly wallets: string | null
  readonly pid: number
  readonly chainId: number
  readonly home: string
}

/** A node of a network, as `network start` reports it. */
export interface NetworkReadyFacts extends ReadyFacts {
  readonly name: string
  readonly mode: 'validator' | 'full'
}

/**
 * Writes the file atomically: a reader sees all of it or nothing. Afterwards its folder is not touched, so the reader
 * may remove it at once.
 */
export function writeReadyFile(
  path: string,
  facts: ReadyFacts | readonly NetworkReadyFacts[],
): void {
  const temporary = `${path}.tmp`
  writeFileSync(temporary, `${JSON.stringify(facts)}\n`)
  renameSync(temporary, path)
}

/** Returns the facts of the node running on this machine; undefined if none runs. */
export function readReadyFile(path: string): ReadyFacts | undefined {
  try {
    const facts = JSON.parse(readFileSync(path, 'utf8')) as ReadyFacts
    // A killed node leaves its file behind.
    process.kill(facts.pid, 0)
    return facts
  } catch {
    return undefined
  }
}

/** Removes the file of an earlier run, which would announce a stopped node. */
export function removeReadyFile(path: string): void {
  rmSync(path, { force: true })
}
