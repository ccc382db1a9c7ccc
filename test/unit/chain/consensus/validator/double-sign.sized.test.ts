import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { generateKey } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import { cometAddress } from '../../../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../../host/chain/consensus/comet/vote.ts'
import { writeValidatorKey } from '../../../../../host/chain/consensus/validator/key-file.ts'
import { lockKey } from '../../../../../host/chain/consensus/validator/key-lock.ts'
import { signRecordPath } from '../../../../../host/chain/consensus/validator/sign-record.ts'
import type { Precommit } from '../../../../../host/chain/consensus/validator/validator.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { Died, FileFaults } from '../../../../support/store/file-faults.ts'
import { GENESIS, ToyHome } from '../toy-chain.ts'

const CHAIN = GENESIS.consensusChainId
/** A key of its own: a key lock covers the machine, and the same test may run concurrently. */
const KEY = generateKey()
const ADDRESS = cometAddress(KEY.publicKey)
const seed = runSeed()

/** Invalid contents of a signing state. */
const DAMAGE: readonly ((text: string) => string)[] = [
  () => '',
  (text) => text.slice(0, text.length >> 1),
  () => '\0'.repeat(100),
  (text) => text.replace('"height": "', '"height": "-'),
  () => '{"version":2}',
]

const PUBLIC_KEY: KeyObject = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(KEY.publicKey).toString('base64url') },
  format: 'jwk',
})

/** Number of signing attempts, by an engine that requests any signature. */
const attempts = bySet(100, 1000)

let home: ToyHome
let faults: FileFaults
beforeAll(async () => {
  home = await ToyHome.create()
  await writeValidatorKey(home.keyPath, KEY)
  faults = await FileFaults.install(home.path)
})
afterAll(async () => {
  faults.uninstall()
  await home.remove()
})

test(`${attempts} signing attempts give one signature per height, round and step (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const record = signRecordPath(home.keyPath, ADDRESS)
  /** What other nodes have: sign bytes by height and round. */
  const released = new Map<string, string>()
  const met: Record<string, number> = {}
  const note = (what: string) => {
    met[what] = (met[what] ?? 0) + 1
  }
  const backups = [await readFile(home.statePath)]
  let height = 1

  const vote = (): Precommit => {
    const hash = new Uint8Array(32).fill(1 + pick(2))
    return {
      height: Math.max(1, height + pick(4) - 2),
      round: pick(3) === 0 ? 1 : 0,
      blockId: { hash, parts: { total: 1, hash } },
      timestamp: BigInt(1 + pick(1_000_000)),
    }
  }
  /** Requests a signature in a new run, which may die at one of its calls. */
  const ask = async (fatal?: number): Promise<void> => {
    faults.arm(fatal)
    try {
      const validator = await home.loadValidator()
      const asked = vote()
      // A requested height counts even if the request failed, because its record may exist.
      height = Math.max(height, asked.height)
      const { signature, timestamp } = await validator.signPrecommit(CHAIN, asked)
      const signBytes = voteSignBytes(CHAIN, { type: VOTE_TYPE.PRECOMMIT, ...asked, timestamp })
      expect(verify(null, signBytes, PUBLIC_KEY, signature)).toBe(true)
      const place = `${asked.height}/${asked.round}`
      const bytes = Buffer.from(signBytes).toString('hex')
      if (released.has(place)) note('the same signature again')
      expect(released.get(place) ?? bytes, place).toBe(bytes)
      released.set(place, bytes)
      note('signed')
    } catch (error) {
      if (error instanceof Died) note('died')
      else if (error instanceof LockstepError) note(error.code)
      else throw error
    } finally {
      if (fatal !== undefined && random() < 0.5) faults.losePower(random)
      faults.arm()
    }
  }
  /** Checks that no other process can lock the key under any path while one holds it. */
  const contend = async (): Promise<void> => {
    const copy = join(home.path, 'copy')
    mkdirSync(copy)
    const key = join(copy, 'priv_validator_key.json')
    const ways = [
      () => copyFileSync(home.keyPath, key),
      () => linkSync(home.keyPath, key),
      () => symlinkSync(home.keyPath, key),
      () => cpSync(join(home.path, 'data'), join(copy, 'data'), { recursive: true }),
    ]
    const way = pick(ways.length)
    ways[way]?.()
    const lock = await lockKey(home.keyPath, ADDRESS, home.path)
    await expect(lockKey(way === 3 ? home.keyPath : key, ADDRESS, copy)).rejects.toMatchObject({
      code: 'KEY_LOCKED',
      message: expect.stringContaining(`process ${process.pid} of ${home.path}`),
    })
    await lock.release()
    await rm(copy, { recursive: true })
    note('second process refused')
  }

  for (let attempt = 0; attempt < attempts; attempt++) {
    const kind = random()
    if (kind < 0.5) await ask(pick(14))
    else if (kind < 0.75) await ask()
    else if (kind < 0.85) await contend()
    else {
      const current = await readFile(home.statePath)
      backups.push(current)
      const damage = DAMAGE[pick(DAMAGE.length)]
      if (kind < 0.95) writeFileSync(home.statePath, backups[pick(backups.length)] as Buffer)
      else writeFileSync(home.statePath, damage?.(String(current)) ?? '')
      await ask()
      // The remedy of the messages: restore the record beside the key.
      if (existsSync(record)) copyFileSync(record, home.statePath)
      else writeFileSync(home.statePath, current)
    }
  }
  expect(met.signed).toBeGreaterThan(attempts / 20)
  for (const seen of ['died', 'DOUBLE_SIGN', 'VALIDATOR_KEY', 'second process refused']) {
    expect(met[seen], seen).toBeGreaterThan(0)
  }
}, 300_000)
