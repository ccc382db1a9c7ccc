import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'

/** Time spent in each phase of block production, in nanoseconds since the start. */
export interface Phases {
  /** Sender recovery on mempool admission and in blocks of other nodes. */
  recoverNs: number
  executeNs: number
  /** Hashing the state into the app hash and writing it, concurrently with the other phases. */
  commitNs: number
  /** Making the block durable. */
  storeNs: number
  blocks: number
  transactions: number
  gas: bigint
  /** Speculatively executed transactions whose results were applied, and those that had to run a second time. */
  adopted: number
  repeated: number
}

export function noPhases(): Phases {
  return {
    recoverNs: 0,
    executeNs: 0,
    commitNs: 0,
    storeNs: 0,
    blocks: 0,
    transactions: 0,
    gas: 0n,
    adopted: 0,
    repeated: 0,
  }
}

type Timed = 'recoverNs' | 'executeNs' | 'commitNs' | 'storeNs'

/** Runs `work` and adds its time to a phase. */
export function timed<Result>(phases: Phases, phase: Timed, work: () => Result): Result {
  const start = performance.now()
  try {
    return work()
  } finally {
    phases[phase] += (performance.now() - start) * 1e6
  }
}

/** Runs asynchronous `work` and adds its time to a phase, including other work that runs meanwhile. */
export async function timedAsync<Result>(
  phases: Phases,
  phase: Timed,
  work: () => Promise<Result>,
): Promise<Result> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    phases[phase] += (performance.now() - start) * 1e6
  }
}

/** Returns a `SignatureRecovery` whose time is added to the recovery phase. */
export function timedRecovery(recovery: SignatureRecovery, phases: Phases): SignatureRecovery {
  return {
    keccak256: (bytes) => recovery.keccak256(bytes),
    recoverAddress: (digest, yParity, r, s) =>
      timed(phases, 'recoverNs', () => recovery.recoverAddress(digest, yParity, r, s)),
  }
}
