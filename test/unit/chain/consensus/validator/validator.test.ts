import { createPublicKey, verify } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlockId } from '../../../../../host/chain/consensus/comet/block-id.ts'
import { generateKey, keyFromSeed } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import { cometAddress } from '../../../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../../host/chain/consensus/comet/vote.ts'
import {
  nodeIdOf,
  readNodeKey,
  readValidatorKey,
  writeNodeKey,
  writeValidatorKey,
} from '../../../../../host/chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../../../../../host/chain/consensus/validator/sign-record.ts'
import {
  readSignState,
  STEP,
  UNSIGNED,
  writeSignState,
} from '../../../../../host/chain/consensus/validator/sign-state.ts'
import type { Precommit } from '../../../../../host/chain/consensus/validator/validator.ts'
import { KEY, ToyHome } from '../toy-chain.ts'

const CHAIN = 'toy-1'

function blockId(value: number): BlockId {
  const hash = new Uint8Array(32).fill(value)
  return { hash, parts: { total: 1, hash } }
}

function precommit(height: number, round = 0, block = 1, timestamp = 1_000n): Precommit {
  return { height, round, blockId: blockId(block), timestamp }
}

let home: ToyHome

beforeEach(async () => {
  home = await ToyHome.create()
})

afterEach(() => home.remove())

describe('a validator when it signs', () => {
  test('returns a signature that the public key verifies', async () => {
    const validator = await home.loadValidator()
    const vote = precommit(5)
    const { signature, timestamp } = await validator.signPrecommit(CHAIN, vote)
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(KEY.publicKey).toString('base64url') },
      format: 'jwk',
    })
    const signBytes = voteSignBytes(CHAIN, { type: VOTE_TYPE.PRECOMMIT, ...vote })
    expect(verify(null, signBytes, publicKey, signature)).toBe(true)
    expect(timestamp).toBe(vote.timestamp)
  })

  test('writes the vote to disk before it returns, in the format of CometBFT', async () => {
    const validator = await home.loadValidator()
    const { signature } = await validator.signPrecommit(CHAIN, precommit(5, 2))
    const document = JSON.parse(await readFile(home.statePath, 'utf8'))
    const signBytes = voteSignBytes(CHAIN, { type: VOTE_TYPE.PRECOMMIT, ...precommit(5, 2) })
    expect(document).toEqual({
      height: '5',
      round: 2,
      step: 3,
      signature: Buffer.from(signature).toString('base64'),
      signbytes: Buffer.from(signBytes).toString('hex').toUpperCase(),
    })
    expect(await readdir(join(home.path, 'data'))).toEqual(['priv_validator_state.json'])
  })

  test('returns the earlier signature and time for the same vote, also after a restart', async () => {
    const first = await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5))
    for (const timestamp of [1_000n, 999n, 2_000_000_000n]) {
      const validator = await home.loadValidator()
      expect(await validator.signPrecommit(CHAIN, precommit(5, 0, 1, timestamp))).toEqual(first)
    }
  })

  test.each([
    ['another block', CHAIN, precommit(5, 1, 2), 'conflicting data at height 5 round 1'],
    ['another chain', 'toy-2', precommit(5, 1), 'conflicting data at height 5 round 1'],
    ['an earlier height', CHAIN, precommit(4, 1), 'height regression. Got 4, last height 5'],
    [
      'an earlier round',
      CHAIN,
      precommit(5, 0),
      'round regression at height 5. Got 0, last round 1',
    ],
  ])('refuses %s', async (_, chainId, vote, reason) => {
    const before = await home.loadValidator()
    await before.signPrecommit(CHAIN, precommit(5, 1))
    const stored = await readFile(home.statePath, 'utf8')
    for (const validator of [before, await home.loadValidator()]) {
      await expect(validator.signPrecommit(chainId, vote)).rejects.toMatchObject({
        code: 'DOUBLE_SIGN',
        message: `Duplicate signature refused: ${reason}`,
      })
    }
    expect(await readFile(home.statePath, 'utf8')).toBe(stored)
  })

  test('continues with later rounds and heights', async () => {
    const validator = await home.loadValidator()
    for (const vote of [precommit(5, 0), precommit(5, 1, 2), precommit(6, 0, 3)]) {
      expect((await validator.signPrecommit(CHAIN, vote)).timestamp).toBe(vote.timestamp)
    }
  })

  test('signs the precommit after the prevote of the same round', async () => {
    await writeSignState(home.statePath, { ...UNSIGNED, height: 5, step: STEP.PREVOTE })
    const validator = await home.loadValidator()
    await validator.signPrecommit(CHAIN, precommit(5))
  })

  test('refuses a height whose signature is not in the signing state', async () => {
    await writeSignState(home.statePath, { ...UNSIGNED, height: 5, step: STEP.PRECOMMIT })
    const validator = await home.loadValidator()
    await expect(validator.signPrecommit(CHAIN, precommit(5))).rejects.toMatchObject({
      code: 'DOUBLE_SIGN',
    })
  })
})

describe('the key files', () => {
  test("hold the key in CometBFT's format, readable by the owner only", async () => {
    const document = JSON.parse(await readFile(home.keyPath, 'utf8'))
    expect(document).toEqual({
      address: 'FE812C12F3AB4CE6AC5DB69AC352F906CB1B11EF',
      pub_key: {
        type: 'tendermint/PubKeyEd25519',
        value: Buffer.from(KEY.publicKey).toString('base64'),
      },
      priv_key: {
        type: 'tendermint/PrivKeyEd25519',
        value: Buffer.from(KEY.secret).toString('base64'),
      },
    })
    expect((await stat(home.keyPath)).mode & 0o777).toBe(0o600)
    expect((await readValidatorKey(home.keyPath)).secret).toEqual(KEY.secret)
  })

  test('hold an ed25519 pair of RFC 8032, section 7.1', () => {
    const seed = Buffer.from(
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'hex',
    )
    expect(Buffer.from(keyFromSeed(seed).publicKey).toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    )
  })

  test('hold the node key, whose address is the node id', async () => {
    const path = join(home.path, 'node_key.json')
    const key = generateKey()
    await writeNodeKey(path, key)
    const read = await readNodeKey(path)
    expect(nodeIdOf(read)).toBe(nodeIdOf(key))
    expect(nodeIdOf(key)).toMatch(/^[0-9a-f]{40}$/)
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')))).toEqual(['priv_key'])
  })

  test('are named in an error if they are missing', async () => {
    await rm(home.keyPath)
    await expect(home.loadValidator()).rejects.toMatchObject({
      code: 'VALIDATOR_KEY',
      message: expect.stringContaining('Private validator file not found'),
      hint: `restore the key or fix permissions at ${home.keyPath}`,
    })
    await writeValidatorKey(home.keyPath, KEY)
    await rm(home.statePath)
    await expect(home.loadValidator()).rejects.toMatchObject({ code: 'VALIDATOR_KEY' })
  })

  test.each([
    ['no JSON', 'nonsense'],
    ['JSON of another kind', 'null'],
    ['another key type', JSON.stringify({ priv_key: { type: 'tendermint/PrivKeySecp256k1' } })],
    [
      'a short key',
      JSON.stringify({ priv_key: { type: 'tendermint/PrivKeyEd25519', value: 'AAAA' } }),
    ],
    [
      'halves that do not match',
      JSON.stringify({
        priv_key: {
          type: 'tendermint/PrivKeyEd25519',
          value: Buffer.alloc(64, 1).toString('base64'),
        },
      }),
    ],
  ])('are refused with %s, without printing the secret', async (_, text) => {
    await writeFile(home.keyPath, text)
    const error = await home.loadValidator().then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error).toMatchObject({ code: 'VALIDATOR_KEY' })
    expect(error?.message).not.toContain(Buffer.alloc(64, 1).toString('base64'))
  })

  test.each([
    'nonsense',
    '{}',
    '{"height":5,"round":0,"step":0}',
    '{"height":"-1","round":0,"step":0}',
    '{"height":"1","round":"0","step":0}',
    '{"height":"1","round":0,"step":0,"signature":1}',
  ])('are refused with %s in the signing state', async (text) => {
    await writeFile(home.statePath, text)
    await expect(readSignState(home.statePath)).rejects.toMatchObject({ code: 'VALIDATOR_KEY' })
  })

  test('are not replaced if they cannot be written', async () => {
    const validator = await home.loadValidator()
    await rm(join(home.path, 'data'), { recursive: true })
    await expect(validator.signPrecommit(CHAIN, precommit(1))).rejects.toThrow('ENOENT')
  })
})

describe('the signing record beside the key', () => {
  const record = () => signRecordPath(home.keyPath, cometAddress(KEY.publicKey))
  const refusedAt = (state: string, signed: string) => ({
    code: 'DOUBLE_SIGN',
    message:
      `Duplicate signature refused: ${home.statePath} ends at ${state}, but the key has signed ${signed}, ` +
      `as ${record()} says`,
    hint: expect.stringContaining('data/ is older than the signatures: restore the latest data/'),
  })

  test('refuses data/ from an older backup and accepts the latest again', async () => {
    const validator = await home.loadValidator()
    await validator.signPrecommit(CHAIN, precommit(5))
    const older = await readFile(home.statePath)
    await validator.signPrecommit(CHAIN, precommit(6, 2))
    const newest = await readFile(home.statePath)
    expect(await readFile(record())).toEqual(newest)
    await writeFile(home.statePath, older)
    const refusal = refusedAt('height 5 round 0', 'height 6 round 2')
    await expect(home.loadValidator()).rejects.toMatchObject(refusal)
    await writeSignState(home.statePath, UNSIGNED)
    await expect(home.loadValidator()).rejects.toMatchObject(
      refusedAt('height 0 round 0', 'height 6 round 2'),
    )
    await writeFile(home.statePath, newest)
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(7))
  })

  test('is updated to a state that a crash left ahead of it, before a signature is returned', async () => {
    const validator = await home.loadValidator()
    const signed = await validator.signPrecommit(CHAIN, precommit(5))
    await rm(record())
    const next = await home.loadValidator()
    expect(await next.signPrecommit(CHAIN, precommit(5))).toEqual(signed)
    expect(await readFile(record())).toEqual(await readFile(home.statePath))
  })

  test('refuses an unreleased vote if another was released later for the same height and round', async () => {
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(4))
    const before = await readFile(record())
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5, 0, 1))
    // A crash between the two files: the signature was not released.
    const unreleased = await readFile(home.statePath)
    await writeFile(record(), before)
    await writeFile(home.statePath, before)
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5, 0, 2))
    const left = await readFile(record())
    await writeFile(home.statePath, unreleased)
    await expect(home.loadValidator()).rejects.toMatchObject({
      code: 'DOUBLE_SIGN',
      message:
        `Duplicate signature refused: ${home.statePath} holds another vote for height 5 round 0 than the one ` +
        `that was released, as ${record()} says`,
      hint: `run \`cp '${record()}' '${home.statePath}'\``,
    })
    await writeFile(home.statePath, left)
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5, 0, 2))
  })

  test('belongs to one key, and another key starts with its own record', async () => {
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5))
    await writeValidatorKey(home.keyPath, generateKey())
    await writeSignState(home.statePath, UNSIGNED)
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(1))
    await writeValidatorKey(home.keyPath, KEY)
    await expect(home.loadValidator()).rejects.toMatchObject(
      refusedAt('height 1 round 0', 'height 5 round 0'),
    )
  })

  test('lies beside the target of a link to the key', async () => {
    const kept = join(home.path, 'kept')
    await mkdir(kept)
    await rename(home.keyPath, join(kept, 'validator.json'))
    await symlink(join(kept, 'validator.json'), home.keyPath)
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5))
    expect((await readdir(kept)).sort()).toEqual([
      'priv_validator_signed.FE812C12F3AB4CE6AC5DB69AC352F906CB1B11EF.json',
      'validator.json',
    ])
  })

  test('is named in the remedy if the signing state in data/ cannot be read', async () => {
    await (await home.loadValidator()).signPrecommit(CHAIN, precommit(5))
    await writeFile(home.statePath, '')
    await expect(home.loadValidator()).rejects.toMatchObject({
      code: 'VALIDATOR_KEY',
      hint: `run \`cp '${record()}' '${home.statePath}'\`; without it the validator could sign a height twice`,
    })
  })
})
