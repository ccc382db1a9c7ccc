import { setFlagsFromString } from 'node:v8'

/**
 * Makes each thread collect its young objects itself. V8 would use four shared threads that every thread of the node
 * waits for, but the node's own threads need all cores (bench/chain.md).
 */
export function collectOnOwnThread(): void {
  setFlagsFromString('--no-parallel-scavenge')
}
