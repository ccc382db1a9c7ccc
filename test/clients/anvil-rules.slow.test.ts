import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { devAccount } from '../support/node/dev-wallet.ts'
import { MAIN } from '../support/node/main-file.ts'
import { ANVIL } from '../support/peer/anvil.ts'
import { type AnvilPair, resultOrError, startAnvilPair } from '../support/peer/anvil-pair.ts'
import { startProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

// `lockstep anvil` beside anvil with the same flags: what clients observe is the same.

const OWNER = devAccount(0).address.toLowerCase()
const FRIEND = devAccount(1).address.toLowerCase()

const folder = mkdtempSync(join(tmpdir(), 'lockstep-anvil-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

let pair: AnvilPair | undefined
afterEach(async () => {
  await pair?.stop()
  pair = undefined
})

interface ShownBlock {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly baseFeePerGas: string
  readonly transactions: readonly { readonly value: string; readonly from: string }[]
}

const quantity = (value: bigint) => `0x${value.toString(16)}`

const WITHOUT_ANVIL = existsSync(ANVIL)
  ? ''
  : ' (no anvil: npm install --no-save --prefix bench/peers)'

describe.skipIf(!existsSync(ANVIL))(`beside anvil${WITHOUT_ANVIL}`, () => {
  test.each([[[]], [['--slots-in-an-epoch', '3']]])(
    'safe and finalized are the same blocks with %j',
    async (flags) => {
      pair = await startAnvilPair(flags)
      const [theirs, ours] = await pair.observe(async (rpc) => {
        const seen: unknown[] = []
        for (const blocks of [0, 2, 5, 40]) {
          await rpc('anvil_mine', blocks)
          for (const tag of ['latest', 'safe', 'finalized']) {
            seen.push((await rpc<ShownBlock>('eth_getBlockByNumber', tag, false)).number)
          }
        }
        return seen
      })
      expect(ours).toEqual(theirs)
    },
    60_000,
  )

  test('the same replacements and leading zeros are accepted', async () => {
    pair = await startAnvilPair(['--no-mining'])
    const cap = 20_000_000_000n
    const [theirs, ours] = await pair.observe(async (rpc) => {
      const seen: unknown[] = []
      const attempts: [string, bigint, bigint][] = [
        ['0x01', cap, 9n],
        ['0x2', cap, 9n],
        ['0x3', cap, 10n],
        ['0x4', cap + 1n, 9n],
        ['0x5', cap + 2n, 1n],
      ]
      for (const [value, maxFee, tip] of attempts) {
        const fees = { maxFeePerGas: quantity(maxFee), maxPriorityFeePerGas: quantity(tip) }
        const asked = { from: OWNER, to: FRIEND, nonce: '0x00', gas: '0x05208', value, ...fees }
        const sent = await resultOrError(rpc('eth_sendTransaction', asked))
        seen.push(sent === 'error' ? sent : 'sent')
      }
      await rpc('evm_mine')
      const { transactions } = await rpc<ShownBlock>('eth_getBlockByNumber', '0x01', true)
      return [seen, transactions.map(({ value }) => value)]
    })
    expect(ours).toEqual(theirs)
  }, 60_000)

  test.each([
    [['--timestamp', '1000']],
    [['--base-fee', '0', '--timestamp', '1700000000']],
    [['--base-fee', '5000000000', '--timestamp', '0']],
  ])(
    'the first blocks have the same times and base fees with %j',
    async (flags) => {
      pair = await startAnvilPair(flags)
      const [theirs, ours] = await pair.observe(async (rpc) => {
        const seen: unknown[] = []
        const note = async (tag: string) => {
          const block = await rpc<ShownBlock>('eth_getBlockByNumber', tag, false)
          // A busy machine may make the next block seconds later.
          const seconds = Math.floor(Number(block.timestamp) / 60)
          seen.push(block.number, seconds, block.baseFeePerGas)
        }
        await note('0x0')
        await rpc('evm_mine')
        await note('latest')
        await rpc('evm_increaseTime', 600)
        await rpc('anvil_reset')
        await rpc('evm_mine')
        // anvil also forgets its base fee.
        const { timestamp } = await rpc<ShownBlock>('eth_getBlockByNumber', '0x1', false)
        seen.push(Math.floor(Number(timestamp) / 60))
        return seen
      })
      expect(ours).toEqual(theirs)
    },
    60_000,
  )

  test('a genesis.json of Ethereum gives the same accounts and the same first block', async () => {
    const init = join(folder, 'genesis.json')
    const aa = '0x00000000000000000000000000000000000000aa'
    const storage = { [word(1)]: word(2) }
    const alloc = {
      [aa]: { balance: '0x64', code: '0x60015f55', nonce: '0x3', storage },
      [OWNER.slice(2)]: { balance: '12345' },
    }
    const config = { chainId: 777, terminalTotalDifficulty: 0, londonBlock: 0 }
    const header = {
      timestamp: '0x3e8',
      gasLimit: '0x1312d00',
      difficulty: '0x0',
      baseFeePerGas: '0x77359400',
      extraData: '0x',
      nonce: '0x0',
      mixHash: word(0),
      coinbase: '0x00000000000000000000000000000000000000cc',
    }
    writeFileSync(init, JSON.stringify({ config, ...header, alloc }))
    pair = await startAnvilPair(['--init', init])
    const [theirs, ours] = await pair.observe(async (rpc) => {
      await rpc('evm_mine')
      const { miner, baseFeePerGas } = await rpc<Record<string, string>>(
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      return [
        await rpc('eth_chainId'),
        await rpc('eth_getBalance', OWNER, 'latest'),
        await rpc('eth_getBalance', FRIEND, 'latest'),
        await rpc('eth_getBalance', aa, 'latest'),
        await rpc('eth_getCode', aa, 'latest'),
        await rpc('eth_getTransactionCount', aa, 'latest'),
        await rpc('eth_getStorageAt', aa, '0x1', 'latest'),
        miner,
        baseFeePerGas,
      ]
    })
    expect(ours).toEqual(theirs)
  }, 60_000)

  test('the instructions of a hardfork are there, and those of the next are not', async () => {
    // Returns 1 after PUSH0 (Shanghai), and after a TSTORE (Cancun).
    const codes = ['0x5f50600160005260206000f3', '0x600160025d600160005260206000f3']
    for (const hardfork of ['paris', 'shanghai', 'cancun', 'berlin']) {
      pair = await startAnvilPair(['--hardfork', hardfork])
      const [theirs, ours] = await pair.observe(async (rpc) =>
        Promise.all(
          codes.map((code) =>
            resultOrError(
              rpc('eth_call', { from: OWNER, to: FRIEND, gas: '0x186a0' }, 'latest', {
                [FRIEND]: { code },
              }),
            ),
          ),
        ),
      )
      expect([hardfork, ours]).toEqual([hardfork, theirs])
      await pair.stop()
    }
  }, 120_000)

  test('fifo takes transactions as they arrived, and fees by their tips', async () => {
    for (const order of ['fifo', 'fees']) {
      pair = await startAnvilPair(['--no-mining', '--order', order])
      const [theirs, ours] = await pair.observe(async (rpc) => {
        for (const [i, tip] of [1n, 3n, 2n].entries()) {
          const fees = {
            maxFeePerGas: quantity((10n + tip) * 10n ** 9n),
            maxPriorityFeePerGas: quantity(tip * 10n ** 9n),
          }
          await rpc('eth_sendTransaction', {
            from: devAccount(i).address,
            to: FRIEND,
            gas: '0x5208',
            value: quantity(BigInt(i)),
            ...fees,
          })
        }
        await rpc('evm_mine')
        const { transactions } = await rpc<ShownBlock>('eth_getBlockByNumber', 'latest', true)
        const info = await rpc<{ transactionOrder: string }>('anvil_nodeInfo')
        return [transactions.map(({ from }) => from), info.transactionOrder]
      })
      expect(ours).toEqual(theirs)
      await pair.stop()
    }
  }, 60_000)

  test('without the CREATE2 deployer there is no code at its address', async () => {
    pair = await startAnvilPair(['--no-create2'])
    const [theirs, ours] = await pair.observe((rpc) =>
      rpc('eth_getCode', '0x4e59b44847b379578588920cA78FbF26c0B4956C', 'latest'),
    )
    expect([theirs, ours]).toEqual(['0x', '0x'])
  }, 60_000)
})

test('a state file is written at each interval, and one that cannot be loaded is left as it is', async () => {
  const file = join(folder, 'state.json')
  const start = (...args: string[]) =>
    startProgram([process.execPath, MAIN, 'anvil', '--port', '0', '--state', file, ...args])
  const program = start('--state-interval', '1')
  try {
    await until(() => existsSync(file))
    expect(readFileSync(file, 'utf8')).toContain(OWNER)
  } finally {
    await program.stop()
  }
  writeFileSync(file, 'precious')
  const refused = start('--state-interval', '1')
  expect(await refused.ended).not.toBe(0)
  expect(refused.output()).toContain('Error: ')
  expect(readFileSync(file, 'utf8')).toBe('precious')
}, 60_000)
