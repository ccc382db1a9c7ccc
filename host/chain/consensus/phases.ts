import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'

/** Time spent in each phase of block production, in nanoseconds since the start. */
export interface Phases {
  /** Recovering senders, at the mempool's door and in blocks that came from elsewhere. */
  recoverNs: number
  executeNs: number
  /** Hashing the state into the app hash and writing what is hashed, beside the other phases. */
  commitNs: number
  /** Making the block durable. */
  storeNs: number
  blocks: number
  transactions: number
  gas: bigint
  /** Transactions that ran ahead of their turn and were taken over, and those that had to run a second time. */
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

/** Does `work` on the clock of a phase. */
export function timed<Result>(phases: Phases, phase: Timed, work: () => Result): Result {
  const start = performance.now()
  try {
    return work()
  } finally {
    phases[phase] += (performance.now() - start) * 1e6
  }
}

/** Does asynchronous `work` on the clock of a phase; other work that runs meanwhile counts too. */
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

/** Recovery on the clock. */
export function timedRecovery(recovery: SignatureRecovery, phases: Phases): SignatureRecovery {
  return {
    keccak256: (bytes) => recovery.keccak256(bytes),
    recoverAddress: (digest, yParity, r, s) =>
      timed(phases, 'recoverNs', () => recovery.recoverAddress(digest, yParity, r, s)),
  }
}
