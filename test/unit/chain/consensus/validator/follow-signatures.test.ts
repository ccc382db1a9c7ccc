import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { generateKey } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import { cometAddress } from '../../../../../host/chain/consensus/comet/validator-set.ts'
import { writeValidatorKey } from '../../../../../host/chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../../../../../host/chain/consensus/validator/sign-record.ts'
import {
  readSignState,
  type SignState,
  STEP,
  UNSIGNED,
  writeSignState,
} from '../../../../../host/chain/consensus/validator/sign-state.ts'
import { loadValidator } from '../../../../../host/chain/consensus/validator/validator.ts'

let folder: string
let keyPath: string
let statePath: string
let copyPath: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'follow-signatures-'))
  keyPath = join(folder, 'key.json')
  statePath = join(folder, 'state.json')
  const key = generateKey()
  await writeValidatorKey(keyPath, key)
  await writeSignState(statePath, UNSIGNED)
  copyPath = signRecordPath(keyPath, cometAddress(key.publicKey))
})

afterEach(() => rmSync(folder, { recursive: true }))

/** Returns the signing state that CometBFT writes when it signs. */
function signedAt(height: number): SignState {
  return {
    height,
    round: 0,
    step: STEP.PRECOMMIT,
    signature: Uint8Array.of(height, 1),
    signBytes: Uint8Array.of(height, 2),
  }
}

test('the signatures of another process are recorded beside the key, and a restored data/ is then refused', async () => {
  const validator = await loadValidator(keyPath, statePath)
  await writeSignState(statePath, signedAt(7))
  await validator.follow()
  expect(await readSignState(copyPath)).toEqual(signedAt(7))
  expect(validator.lastSigned).toEqual(signedAt(7))

  await writeSignState(statePath, signedAt(5))
  await validator.follow()
  expect(await readSignState(copyPath)).toEqual(signedAt(7))
  await expect(loadValidator(keyPath, statePath)).rejects.toMatchObject({
    code: 'DOUBLE_SIGN',
    message: expect.stringContaining(
      'ends at height 5 round 0, but the key has signed height 7 round 0',
    ),
  })
})

test('if recording is requested faster than the disk writes, the latest state is recorded when the last call resolves', async () => {
  const validator = await loadValidator(keyPath, statePath)
  const waiting: Promise<void>[] = []
  for (let height = 1; height <= 40; height++) {
    await writeSignState(statePath, signedAt(height))
    waiting.push(validator.follow(), validator.follow())
  }
  await Promise.all(waiting)
  expect(JSON.parse(readFileSync(copyPath, 'utf8'))).toEqual(
    JSON.parse(readFileSync(statePath, 'utf8')),
  )
  expect(await readSignState(copyPath)).toEqual(signedAt(40))
})

test('an unreadable signing state fails only that call', async () => {
  const validator = await loadValidator(keyPath, statePath)
  rmSync(statePath)
  await expect(validator.follow()).rejects.toMatchObject({ code: 'VALIDATOR_KEY' })
  await writeSignState(statePath, signedAt(3))
  await validator.follow()
  expect(await readSignState(copyPath)).toEqual(signedAt(3))
})
