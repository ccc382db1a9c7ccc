import { concatHex, type HDAccount, keccak256, toHex, toRlp } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign as signHash } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call, post, type RpcFailure } from '../support/node/json-rpc.ts'
import { findGeth, type Geth, sendFromGeth, startGeth } from './peer/geth.ts'

const found = findGeth()
const why = 'reason' in found ? ` (skipped: ${found.reason})` : ''
const CHAIN = 1337
const GWEI = 10n ** 9n

type Fields = Parameters<HDAccount['signTransaction']>[0]

const target = '0x00000000000000000000000000000000000000ee' as const
const plain = {
  chainId: CHAIN,
  to: target,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: 100n * GWEI,
  maxPriorityFeePerGas: 2n * GWEI,
} as const
/** Its first transaction is mined on both chains. Those from nonce 5 on are queued behind a gap. */
const rich = devAccount(0)
const poor = privateKeyToAccount(generatePrivateKey())

const sign = (fields: object, from: Pick<HDAccount, 'signTransaction'> = rich): Promise<Hex> =>
  from.signTransaction({ ...plain, ...fields } as Fields)

const trimmed = (value: number | bigint): Hex => (BigInt(value) === 0n ? '0x' : toHex(value))

/** Signs by hand, since viem refuses such a transaction. */
async function tipAboveFee(): Promise<Hex> {
  const numbers = [CHAIN, 1, 101n * GWEI, 100n * GWEI, 21_000].map(trimmed)
  const body = [...numbers, target, trimmed(1)] as const
  const hash = keccak256(concatHex(['0x02', toRlp([...body, '0x', []])]))
  const { r, s, yParity } = await signHash({ hash, privateKey: generatePrivateKey() })
  return concatHex([
    '0x02',
    toRlp([...body, '0x', [], trimmed(yParity ?? 0), trimmed(BigInt(r)), trimmed(BigInt(s))]),
  ])
}

describe.skipIf('reason' in found)(`the pool, compared with geth${why}`, () => {
  const home = makeHome()
  const folder = makeHome()
  let daemon: Daemon
  let geth: Geth

  const both = async (raw: Hex): Promise<(RpcFailure | undefined)[]> => {
    const urls = [geth.url, daemon.ready.rpc]
    const answers = await Promise.all(urls.map((url) => post(url, 'eth_sendRawTransaction', [raw])))
    return answers.map(({ error }) => error)
  }

  beforeAll(async () => {
    if ('reason' in found) return
    geth = await startGeth(found.path, folder)
    // Not --dev, whose pool accepts transactions without replay protection, as anvil's does.
    const fund = `${rich.address}=1000000ether`
    const init = ['init', '--chain-id', String(CHAIN), '--fund', fund, '--home', home]
    expect(await runCommand(init)).toMatchObject({ code: 0 })
    daemon = await startDaemon({ home, dev: false })
    await sendFromGeth(geth, { to: rich.address, value: `0x${(10n ** 22n).toString(16)}` })
    const first = await sign({ nonce: 0 })
    expect(await both(first)).toEqual([undefined, undefined])
    for (const url of [geth.url, daemon.ready.rpc]) {
      while ((await call(url, 'eth_getTransactionCount', [rich.address, 'latest'])) !== '0x1');
    }
    const waiting = await Promise.all([5, 6].map((nonce) => sign({ nonce })))
    for (const raw of waiting) expect(await both(raw)).toEqual([undefined, undefined])
  })
  afterAll(async () => {
    await geth?.stop()
    await daemon?.stop()
    removeHome(home)
    removeHome(folder)
  })

  test.each<[string, () => Hex | Promise<Hex>]>([
    ['a nonce of the past', () => sign({ nonce: 0 })],
    ['the same again', () => sign({ nonce: 5 })],
    ['one in its place for a little more', () => sign({ nonce: 5, maxFeePerGas: 105n * GWEI })],
    [
      'one in its place with a higher tip alone',
      () => sign({ nonce: 5, maxPriorityFeePerGas: 9n * GWEI }),
    ],
    ['more than the account has', () => sign({ nonce: 0 }, poor)],
    ['a tip above the fee', () => tipAboveFee()],
    ['too little gas', () => sign({ nonce: 1, gas: 20_999n })],
    [
      'too little gas for its data',
      () => sign({ nonce: 1, gas: 21_500n, data: `0x${'11'.repeat(40)}` }),
    ],
    [
      'less gas than the floor of its data',
      () => sign({ nonce: 1, gas: 24_000n, data: `0x${'11'.repeat(100)}` }),
    ],
    [
      'more data than there may be',
      () => sign({ nonce: 1, gas: 9_000_000n, data: `0x${'11'.repeat(131_072)}` }),
    ],
    [
      'more creation code than there may be',
      () => sign({ nonce: 1, to: undefined, gas: 9_000_000n, data: `0x${'11'.repeat(49_153)}` }),
    ],
    ['the id of another chain', () => sign({ nonce: 1, chainId: 5 })],
    [
      'a legacy transaction without a chain id',
      () =>
        rich.signTransaction({
          type: 'legacy',
          nonce: 1,
          to: target,
          gas: 21_000n,
          gasPrice: 100n * GWEI,
        }),
    ],
    ['the last nonce', async () => sign({ nonce: 2n ** 64n - 1n })],
    ['no bytes', () => '0x'],
    ['a type that nobody knows', () => '0x05c0'],
    ['a list of nothing', () => '0xc0'],
    ['a transaction cut short', async () => (await sign({ nonce: 1 })).slice(0, -4) as Hex],
    ['bytes after a transaction', async () => `${await sign({ nonce: 1 })}00`],
  ])('refuses %s with the same error as geth', async (_, make) => {
    const [theirs, ours] = await both(await make())
    expect(theirs).toBeDefined()
    expect(ours).toEqual(theirs)
  })
})
