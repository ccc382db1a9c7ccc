import { test } from 'vitest'
import { compareWithModel } from '../../../support/payments/claim-model-run.ts'
import { folderClaimStore } from '../../../support/payments/claim-stores.ts'
import { runSeed } from '../../../support/random.ts'

const STEPS = 300
const seed = runSeed()

test(`payment claims agree with a plain map over ${STEPS} steps and restarts (LOCKSTEP_SEED=${seed})`, async () => {
  await compareWithModel(await folderClaimStore(), seed, STEPS)
})
