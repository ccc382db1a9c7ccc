import { delayAtomics } from '../../support/trace/late-atomics.ts'

// A trace thread that loses the processor around its atomics now and then.

delayAtomics({ seed: Number(process.env.LOCKSTEP_SEED ?? 1), oneOf: 200, milliseconds: 2 })

await import('../../../host/api/trace-pool/trace-worker.ts')
