import { existsSync } from 'node:fs'
import { LockstepError } from '../../base/error.ts'
import { cometAddress } from '../../chain/consensus/comet/validator-set.ts'
import { readValidatorKey } from '../../chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../../chain/consensus/validator/sign-record.ts'
import {
  readSignState,
  STEP,
  UNSIGNED,
  writeSignState,
} from '../../chain/consensus/validator/sign-state.ts'
import type { Home } from '../home/home.ts'
import type { UnfinishedRollback } from '../home/unfinished-rollback.ts'
import type { HomeContext } from './home-snapshots.ts'

/**
 * Refuses to remove blocks that this validator has signed: it could not sign those heights again, and the chain would
 * halt.
 * @throws DOUBLE_SIGN
 */
export async function refuseSignedHeights(
  { home, config }: HomeContext,
  { target, signAgain }: UnfinishedRollback,
): Promise<void> {
  if (signAgain || config.mode !== 'validator') return
  const { height } = await readSignState(home.data.validatorState)
  if (height <= target) return
  throw new LockstepError(
    'DOUBLE_SIGN',
    `rollback --hard would remove blocks up to height ${height}, which this validator has signed: ` +
      `it could sign no other block of heights ${target + 1} to ${height}`,
    {
      hint:
        'run it without --hard: the blocks stay and are executed again. If no other node has them, ' +
        'or each is rolled back too, pass --unsafe-sign-again',
    },
  )
}

/** Allows the validator to sign the heights above `height` again. The previous records stay in backup files. */
export async function allowSigning({ home }: HomeContext, height: number): Promise<void> {
  for (const path of await signFiles(home)) {
    const state = await readSignState(path)
    if (state.height <= height) continue
    await writeSignState(`${path}.height-${state.height}`, state)
    await writeSignState(path, { ...UNSIGNED, height, step: STEP.PRECOMMIT })
  }
}

/** The record next to the key first: after a crash in between, the one in data/ is ahead, never behind. */
async function signFiles({ config, data }: Home): Promise<string[]> {
  const paths = [data.validatorState]
  if (existsSync(config.validatorKey)) {
    const { publicKey } = await readValidatorKey(config.validatorKey)
    paths.unshift(signRecordPath(config.validatorKey, cometAddress(publicKey)))
  }
  return paths.filter((path) => existsSync(path))
}
