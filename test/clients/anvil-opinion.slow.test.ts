import { existsSync } from 'node:fs'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signVariedBlock } from '../support/chain/varied-block.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { ANVIL, type Anvil, type Frame, startAnvil, withoutLimit } from '../support/peer/anvil.ts'

const COUNT = 200
const CHAIN = 31_337
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)

interface Step {
  readonly op: string
  readonly error?: string
  readonly gasCost: number
  readonly refund?: number
  readonly returnData?: string
  readonly storage?: object
}

interface StructLogs {
  readonly failed: boolean
  readonly structLogs: readonly Step[]
}

/**
 * Returns a step without anvil's differences from geth. anvil caps the cost of a failing step at the gas left,
 * includes the forwarded gas in the cost of a creation, has Rust's error names, shows no return data as `0x`, and
 * shows a refund one step later. test/fuzz compares these with EthereumJS.
 */
function comparableStep(step: Step, isFailure: boolean): object {
  const { error: _, refund: __, gasCost, returnData, ...rest } = step
  return {
    ...rest,
    ...(isFailure || step.op.startsWith('CREATE') ? {} : { gasCost }),
    ...(returnData !== undefined && returnData !== '0x' && { returnData }),
  }
}

/**
 * Returns the steps of both in comparable form. anvil's `gas` is that of the block and is ignored. From a failing
 * step on, its storage lacks that step's slot, which geth shows.
 */
function comparableSteps(mine: StructLogs, yours: StructLogs): [object[], object[]] {
  const isFailure = (i: number) =>
    mine.structLogs[i]?.error !== undefined || yours.structLogs[i]?.error !== undefined
  const hasFailure = mine.structLogs.some((_, i) => isFailure(i))
  const shown = ({ structLogs }: StructLogs) =>
    structLogs.map(({ storage, ...step }, i) =>
      comparableStep(
        hasFailure || storage === undefined ? step : { storage, ...step },
        isFailure(i),
      ),
    )
  return [shown(mine), shown(yours)]
}

if (!existsSync(ANVIL)) {
  console.log('anvil is absent: install bench/peers to hear its opinion of traces')
}

describe.skipIf(!existsSync(ANVIL))(`a varied block, seed ${SEED}, traced by anvil`, () => {
  const home = makeHome()
  let daemon: Daemon
  let anvil: Anvil
  /** URLs of the two nodes. */
  let ours: string
  let theirs: string
  /** In the order of the block of Lockstep. */
  let hashes: Hex[]

  /** Waits for the block of a transaction and returns its height and index. */
  async function mined(hash: Hex): Promise<{ block: number; index: number }> {
    while (true) {
      const receipt = await call<Record<string, Hex> | null>(ours, 'eth_getTransactionReceipt', [
        hash,
      ])
      if (receipt === null) continue
      const { blockNumber, transactionIndex } = receipt
      return { block: Number(blockNumber), index: Number(transactionIndex) }
    }
  }

  beforeAll(async () => {
    const { deployment, transactions } = await signVariedBlock(CHAIN, COUNT, SEED)
    daemon = await startDaemon({ home, arguments: ['--chain-id', String(CHAIN)] })
    ours = daemon.ready.rpc
    await mined(await call<Hex>(ours, 'eth_sendRawTransaction', [deployment]))
    const sent: Hex[] = []
    for (const raw of transactions) sent.push(await call(ours, 'eth_sendRawTransaction', [raw]))
    const places = await Promise.all(sent.map(mined))
    const order = [...sent.keys()].sort((a, b) => {
      const [one, other] = [places[a], places[b]] as [{ block: number; index: number }, never]
      return one.block - (other as typeof one).block || one.index - (other as typeof one).index
    })
    hashes = order.map((i) => sent[i] as Hex)

    anvil = await startAnvil(CHAIN, ['--hardfork', 'prague'])
    theirs = anvil.url
    // One transaction a block: anvil would reorder several, and reports the gas of the whole block.
    for (const raw of [deployment, ...order.map((i) => transactions[i] as Hex)]) {
      await call(theirs, 'eth_sendRawTransaction', [raw])
      await call(theirs, 'evm_mine')
    }
  })

  afterAll(async () => {
    await anvil?.stop()
    await daemon?.stop()
    removeHome(home)
  })

  test('has the same frames in callTracer', async () => {
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    for (const hash of hashes) {
      const [mine, yours] = (await Promise.all(
        [ours, theirs].map((node) => call(node, 'debug_traceTransaction', [hash, options])),
      )) as [Frame, Frame]
      expect(withoutLimit(mine), hash).toEqual(withoutLimit(yours))
    }
  })

  test.each([{}, { disableStack: true }, { enableReturnData: true, disableStorage: true }])(
    'has the same steps in the struct logger with %o',
    async (options) => {
      for (const hash of hashes) {
        const [mine, yours] = (await Promise.all(
          [ours, theirs].map((node) => call(node, 'debug_traceTransaction', [hash, options])),
        )) as [StructLogs, StructLogs]
        expect(mine.failed, hash).toBe(yours.failed)
        const [steps, others] = comparableSteps(mine, yours)
        expect(steps, hash).toEqual(others)
      }
    },
    120_000,
  )

  test('has a block trace that equals the traces of its transactions', async () => {
    const [first] = hashes
    const { block } = await mined(first as Hex)
    const number = `0x${block.toString(16)}`
    const traced = await call<{ txHash: Hex; result: Frame }[]>(ours, 'debug_traceBlockByNumber', [
      number,
      { tracer: 'callTracer' },
    ])
    for (const { txHash, result } of traced) {
      const alone = await call(ours, 'debug_traceTransaction', [txHash, { tracer: 'callTracer' }])
      expect(result).toEqual(alone)
    }
    expect(traced.map(({ txHash }) => txHash)).toEqual(hashes.slice(0, traced.length))
  })
})
