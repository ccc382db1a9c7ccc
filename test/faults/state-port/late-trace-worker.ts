import { delayAtomics } from '../../support/trace/late-atomics.ts'

// A trace worker that is delayed at random around its atomic operations.

delayAtomics({ seed: Number(process.env.LOCKSTEP_SEED ?? 1), oneOf: 200, milliseconds: 2 })

await import('../../../host/api/trace-pool/trace-worker.ts')
