import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../host/base/hex.ts'
import { decodeRlp } from '../../host/base/rlp.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

const home = makeHome()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
  await rpc('anvil_setCode', STORE, '0x5f3560203555')
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  removeHome(home)
})

function rpc<Result>(method: string, ...params: unknown[]): Promise<Result> {
  return call<Result>(daemon.ready.rpc, method, params)
}

const OWNER = devAccount(0).address.toLowerCase()
/** Its code stores the first word of its input into the slot of the second. */
const STORE = '0x00000000000000000000000000000000000000aa'

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const hash = (text: string) => formatData(keccak_256(parseData(text)))

/** Stores a value, and returns the block of the transaction. */
async function store(slot: number, value: number): Promise<string> {
  const data = `${word(value)}${word(slot).slice(2)}`
  const sent = await rpc('eth_sendTransaction', { from: OWNER, to: STORE, data })
  const receipt = await rpc<Record<string, string>>('eth_getTransactionReceipt', sent)
  return receipt.blockHash ?? ''
}

type Item = Uint8Array | readonly Item[]

/**
 * Follows the path of a key through the nodes of a proof, from the root down (yellow paper, appendix D). Returns the
 * value, or undefined if the proof shows that there is none.
 * @throws Error if a node is not the one that its parent, or the root, names
 */
function proven(root: string, key: string, proof: readonly string[]): string | undefined {
  let path = hash(key).slice(2)
  let expected = root
  for (const node of proof) {
    if (hash(node) !== expected) throw new Error(`${node} is not ${expected}`)
    const items = decodeRlp(parseData(node)) as readonly Item[]
    const next = items.length === 17 ? items[Number.parseInt(path[0] as string, 16)] : items[1]
    if (items.length === 17) {
      path = path.slice(1)
    } else {
      const encoded = formatData(items[0] as Uint8Array).slice(2)
      const flag = Number.parseInt(encoded[0] as string, 16)
      const part = encoded.slice(flag % 2 === 1 ? 1 : 2)
      if (!path.startsWith(part)) return undefined
      path = path.slice(part.length)
      if (flag >= 2) return formatData(next as Uint8Array)
    }
    if (!(next instanceof Uint8Array)) throw new Error('an embedded node: none is that short here')
    if (next.length === 0) return undefined
    expected = formatData(next)
  }
  throw new Error('the proof ends early')
}

interface Proof {
  readonly accountProof: readonly string[]
  readonly balance: string
  readonly nonce: string
  readonly codeHash: string
  readonly storageHash: string
  readonly storageProof: readonly { key: string; value: string; proof: readonly string[] }[]
}
const prove = (address: string, slots: readonly string[], block?: string) =>
  rpc<Proof>('eth_getProof', address, slots, ...(block === undefined ? [] : [block]))

describe('eth_getProof of the latest state', () => {
  test('proves accounts, slots and their absence against the hash of the first node', async () => {
    for (let slot = 0; slot < 20; slot++) await store(slot, 1000 + slot)
    await store(3, 0)
    const proof = await prove(STORE, [word(7), word(3), word(99)], 'latest')
    const root = hash(proof.accountProof[0] as string)
    const leaf = proven(root, STORE, proof.accountProof) ?? '0x'
    const [nonce, balance, storageRoot, codeHash] = decodeRlp(parseData(leaf)) as Uint8Array[]
    expect([nonce?.length, balance?.length]).toEqual([0, 0])
    expect(formatData(storageRoot as Uint8Array)).toBe(proof.storageHash)
    expect(formatData(codeHash as Uint8Array)).toBe(hash('0x5f3560203555'))
    expect(proof.storageProof.map(({ value }) => value)).toEqual(['0x3ef', '0x0', '0x0'])
    const values = proof.storageProof.map(({ proof: nodes }, i) =>
      proven(proof.storageHash, [word(7), word(3), word(99)][i] as string, nodes),
    )
    expect(values).toEqual(['0x8203ef', undefined, undefined])
    const other = await prove(OWNER, [])
    expect(hash(other.accountProof[0] as string)).toBe(root)
    expect(other.balance).toBe(await rpc('eth_getBalance', OWNER, 'latest'))
    expect(other.nonce).toBe('0x15')
    const none = await prove(`0x${'9'.repeat(40)}`, [])
    expect(proven(root, `0x${'9'.repeat(40)}`, none.accountProof)).toBeUndefined()
  })

  test('follows what is set by hand, and a revert', async () => {
    const before = await prove(STORE, [])
    const id = await rpc('evm_snapshot')
    await rpc('anvil_setStorageAt', STORE, word(50), word(5))
    const after = await prove(STORE, [word(50)])
    expect(after.storageHash).not.toBe(before.storageHash)
    expect(after.storageProof[0]?.value).toBe('0x5')
    await rpc('evm_revert', id)
    expect(await prove(STORE, [])).toEqual(before)
  })

  test('agrees with eth_getAccount', async () => {
    const { storageHash, balance, nonce, codeHash } = await prove(STORE, [])
    const account = { storageRoot: storageHash, balance, nonce, codeHash }
    expect(await rpc('eth_getAccount', STORE, 'latest')).toEqual(account)
  })

  test('is refused for an earlier block with the reason', async () => {
    await expect(prove(STORE, [], '0x1')).rejects.toThrow(
      'no proof for block 1: a development chain knows the keys of its latest state only',
    )
  })
})

describe('debug_storageRangeAt', () => {
  interface Range {
    readonly storage: Record<string, { readonly key: string; readonly value: string }>
    readonly nextKey: string | null
  }
  const range = (block: string, index: number, start = '0x', max = 100) =>
    rpc<Range>('debug_storageRangeAt', block, index, STORE, start, max)

  test('has the slots before a transaction of a block, by their hashes', async () => {
    await rpc('anvil_reset')
    await rpc('anvil_setCode', STORE, '0x5f3560203555')
    await rpc('anvil_setStorageAt', STORE, word(1), word(11))
    const first = await store(2, 22)
    const second = await store(1, 0)
    await store(3, 33)
    const before = await range(first, 0)
    expect(before).toEqual({
      storage: { [hash(word(1))]: { key: word(1), value: word(11) } },
      nextKey: null,
    })
    const later = await range(second, 0)
    expect(
      Object.values(later.storage)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual([word(1), word(2)])
    expect(Object.keys(later.storage)).toEqual([hash(word(1)), hash(word(2))].toSorted())
  })

  test('continues at nextKey, and has what earlier transactions of the block did', async () => {
    await rpc('evm_setAutomine', false)
    const hashes = []
    for (const slot of [5, 6]) {
      const data = `${word(slot)}${word(slot).slice(2)}`
      const asked = { from: OWNER, to: STORE, data, gas: '0x186a0' }
      hashes.push(await rpc('eth_sendTransaction', asked))
    }
    await rpc('evm_mine')
    await rpc('evm_setAutomine', true)
    const { hash: block } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    const keys = async (index: number) =>
      Object.values((await range(block, index)).storage).map(({ key }) => key)
    expect(await keys(0)).not.toContain(word(5))
    expect(await keys(1)).toContain(word(5))
    expect(await keys(1)).not.toContain(word(6))
    const whole = Object.keys((await range(block, 1)).storage)
    const part = await range(block, 1, '0x', 1)
    expect([Object.keys(part.storage), part.nextKey]).toEqual([[whole[0]], whole[1]])
    const rest = await range(block, 1, part.nextKey ?? '', 100)
    expect(Object.keys(rest.storage)).toEqual(whole.slice(1))
    await expect(range(block, 2)).rejects.toThrow('transaction index 2 out of range')
  })
})
