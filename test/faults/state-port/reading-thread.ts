import { parentPort, workerData } from 'node:worker_threads'
import { WorkerState } from '../../../host/api/trace-pool/remote-state.ts'
import { type StateArea, StatePort } from '../../../host/api/trace-pool/state-port.ts'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { makeRandom } from '../../support/random.ts'
import { delayAtomics, type Lateness } from '../../support/trace/late-atomics.ts'
import { isSame, KeyedState } from './keyed-state.ts'

// A thread that reads a state held by another thread and compares the answers with the expected ones.

/** Number of the run that all reads belong to. */
export const RUN = 7

export interface ReadingThreadData {
  readonly area: StateArea
  readonly reads: number
  readonly seed: number
  readonly lateness: Lateness | undefined
}

/** Reported at the end. Differences are texts. */
export interface ReadingReport {
  readonly reads: number
  readonly wrong: readonly string[]
}

const { area, reads, seed, lateness } = workerData as ReadingThreadData
if (lateness !== undefined) delayAtomics(lateness)
const random = makeRandom(seed)
const truth = new KeyedState()
const port = new StatePort(area, (number) => parentPort?.postMessage(number))
const remote = new WorkerState(port, RUN)
const wrong: string[] = []

const below = (limit: number) => Math.floor(random() * limit)
const bytes = (length: number) => bigintToBytes(BigInt(1 + below(2 ** 40)), length)

type Answer = Uint8Array | undefined

/** Makes a random read. Returns its name, its answer and the expected one. */
function readSome(): readonly [name: string, got: Answer, right: Answer] {
  const address = bytes(20)
  const key = bytes(32)
  const height = below(2 ** 31)
  switch (below(4)) {
    case 0:
      return ['account', remote.account(address), truth.account(address)]
    case 1:
      return ['storage', remote.storage(address, key), truth.storage(address, key)]
    case 2:
      return ['code', remote.code(key), truth.code(key)]
    default:
      return ['blockHash', remote.blockHash(height), truth.blockHash(height)]
  }
}

for (let i = 0; i < reads; i++) {
  try {
    const [name, got, right] = readSome()
    if (!isSame(got, right)) wrong.push(`${name}: ${got?.length} bytes for ${right?.length}`)
  } catch (thrown) {
    wrong.push(String(thrown))
  }
}
parentPort?.postMessage({ reads, wrong: wrong.slice(0, 10) } satisfies ReadingReport)
