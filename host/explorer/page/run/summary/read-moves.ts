import type { CallNode, LogNode } from '../../../browser/step/stepper.ts'
import { TimeSlicer } from '../../../browser/step/time-slicer.ts'
import type { ContractRegistry } from '../../decode/abi/contract-registry.ts'
import type { Phrase } from '../../decode/words/phrase.ts'
import { movePhrase } from '../../decode/words/summary-words.ts'
import { tokenTransfers } from '../../decode/words/token-transfers.ts'

/** Token transfers found in a transaction's logs. */
export interface Moves {
  readonly phrases: readonly Phrase[]
  /** Logs read so far, and all logs. */
  readonly looked: number
  readonly logs: number
}

/** Maximum transfers shown. */
const MOST_MOVES = 100
/** Maximum logs read for them. */
const MOST_LOGS = 2_000

/** Reads logs in slices, because each takes tenths of a millisecond, until there are enough transfers to show. */
export async function readMoves(
  logs: readonly { readonly log: LogNode; readonly call: CallNode }[],
  lens: ContractRegistry,
  signal: AbortSignal,
): Promise<Moves> {
  const turns = new TimeSlicer()
  const phrases: Phrase[] = []
  let looked = 0
  for (const { log, call } of logs.slice(0, MOST_LOGS)) {
    await turns.next()
    if (signal.aborted || phrases.length >= MOST_MOVES) break
    looked++
    const moves = tokenTransfers([{ ...call, logs: [log] }], lens)
    phrases.push(...moves.map((move) => movePhrase(move, lens)))
  }
  return { phrases, looked, logs: logs.length }
}
