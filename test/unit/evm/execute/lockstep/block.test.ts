import * as fc from 'fast-check'
import { decodeEventLog, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../../../host/base/bytes.ts'
import { DEV_ACCOUNTS } from '../../../../../host/base/dev-accounts.ts'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { logsBloom } from '../../../../../host/evm/chain-types/bloom.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import type { TraceEvent } from '../../../../../host/evm/engine/trace-event.ts'
import { lockstepRules } from '../../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import {
  beginPlan,
  type PlanRun,
  runPlanned,
} from '../../../../../host/evm/execute/replay/plan-run.ts'
import {
  type PlannedTransaction,
  planReplay,
} from '../../../../../host/evm/execute/replay/replay-plan.ts'
import { decodeAccount } from '../../../../../host/evm/state/account.ts'
import { devGenesis, MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { compile } from '../../../../support/contracts/solidity.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'
import { makeRandom } from '../../../../support/random.ts'

const GWEI = 10n ** 9n
const CHAIN_ID = 31337
const { keccak256 } = nobleRecovery

let module: WebAssembly.Module
let engine: Engine
beforeAll(async () => {
  module = await compileEngine()
  engine = await openEngine(module)
}, 120_000)

interface Fields {
  nonce: number
  to?: Hex
  value?: bigint
  data?: Hex
  gas?: bigint
  tip?: bigint
  cap?: bigint
}

async function sign(account: number, fields: Fields): Promise<Uint8Array> {
  const { nonce, to, value, data, gas = 21_000n, tip = GWEI, cap = 100n * GWEI } = fields
  const fees = { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
  return parseData(await signDynamicFee(account, { nonce, gas, ...fees, to, value, data }))
}

async function openChain(): Promise<MemoryChain> {
  const chain = await MemoryChain.open(engine)
  await chain.initialise()
  return chain
}

function accountOf(chain: MemoryChain, address: Hex) {
  return decodeAccount(chain.storage.state.view(chain.height).account(parseData(address)))
}

function slotOf(chain: MemoryChain, address: Hex, slot: bigint): bigint {
  const key = parseData(`0x${slot.toString(16).padStart(64, '0')}`)
  const value = chain.storage.state.view(chain.height).storage(parseData(address), key)
  return value === undefined ? 0n : bytesToBigint(value)
}

const addressOf = (account: number): Hex => devAccount(account).address
const BALANCE = 10_000n * 10n ** 18n

describe('a transfer in a block', () => {
  test('moves the value, burns nothing, and pays base fee and tip to the collector', async () => {
    const chain = await openChain()
    const { receipts, block } = await chain.produce(
      await sign(0, { nonce: 0, to: addressOf(1), value: 5n }),
    )
    const price = 2n * GWEI
    expect(receipts).toMatchObject([
      {
        type: 2,
        transactionHash: chain.storage.chain.receipts(1)?.[0]?.transactionHash,
        from: parseData(addressOf(0)),
        to: parseData(addressOf(1)),
        contractAddress: undefined,
        status: 1,
        gasUsed: 21_000n,
        cumulativeGasUsed: 21_000n,
        effectiveGasPrice: price,
        logs: [],
        logsBloom: new Uint8Array(256),
      },
    ])
    expect(accountOf(chain, addressOf(0))).toMatchObject({
      nonce: 1n,
      balance: BALANCE - 5n - 21_000n * price,
    })
    expect(accountOf(chain, addressOf(1)).balance).toBe(BALANCE + 5n)
    expect(accountOf(chain, formatData(block.header.miner)).balance).toBe(21_000n * price)
    expect(block.header).toMatchObject({ number: 1, gasUsed: 21_000n, baseFeePerGas: GWEI })
  })

  test('preserves the sum of all balances for any sender and recipient', async () => {
    const random = makeRandom(0x5eed)
    const chain = await openChain()
    const nonces = Array.from({ length: 10 }, () => 0)
    for (let round = 0; round < 5; round++) {
      const raws: Uint8Array[] = []
      for (let i = 0; i < 20; i++) {
        const from = Math.floor(random() * 10)
        const nonce = nonces[from] as number
        nonces[from] = nonce + 1
        const to = addressOf(Math.floor(random() * 10))
        const value = BigInt(Math.floor(random() * 2 ** 52))
        raws.push(await sign(from, { nonce, to, value, tip: BigInt(Math.floor(random() * 1e9)) }))
      }
      const { receipts } = await chain.produce(...raws)
      expect(receipts).toHaveLength(20)
      expect(receipts.at(-1)?.cumulativeGasUsed).toBe(20n * 21_000n)
    }
    const collector = formatData(devGenesis().params.feeCollector)
    const holders = [...Array.from({ length: 10 }, (_, i) => addressOf(i)), collector]
    const total = holders.reduce((sum, holder) => sum + accountOf(chain, holder).balance, 0n)
    expect(total).toBe(10n * BALANCE)
  })
})

describe('contracts in a block', () => {
  const token = compile('Token.sol').get('Token')
  if (token === undefined) throw new Error('Token.sol has no Token')
  const { abi, bytecode } = token
  const contract = getContractAddress({ from: addressOf(0), nonce: 0n })
  const deploy = () =>
    sign(0, {
      nonce: 0,
      data: encodeDeployData({ abi, bytecode, args: [1_000_000n] }),
      gas: 2_000_000n,
    })
  const invoke = (account: number, nonce: number, name: string, args: readonly unknown[]) =>
    sign(account, {
      nonce,
      to: contract,
      gas: 200_000n,
      data: encodeFunctionData({ abi, functionName: name, args }),
    })

  test('are created at the address derived from sender and nonce, and emit their event', async () => {
    const chain = await openChain()
    const { receipts } = await chain.produce(await deploy())
    const receipt = receipts[0] as Receipt
    expect(receipt.status).toBe(1)
    expect(formatData(receipt.contractAddress as Uint8Array)).toBe(contract.toLowerCase())
    expect(slotOf(chain, contract, 0n)).toBe(1_000_000n)
    const log = receipt.logs[0]
    if (log === undefined) throw new Error('no event')
    const event = decodeEventLog({
      abi,
      data: formatData(log.data),
      topics: log.topics.map(formatData) as [Hex, ...Hex[]],
    })
    expect(event).toMatchObject({ eventName: 'Transfer', args: { value: 1_000_000n } })
    expect(receipt.logsBloom).toEqual(logsBloom(receipt.logs, keccak256))
  })

  test('move tokens, and a failed call costs only its fee', async () => {
    const chain = await openChain()
    await chain.produce(await deploy())
    const { receipts, block } = await chain.produce(
      await invoke(0, 1, 'transfer', [addressOf(1), 600_000n]),
      await invoke(0, 2, 'transfer', [addressOf(1), 600_000n]),
      await invoke(2, 0, 'burnTooMuch', []),
    )
    const statuses = new Map(receipts.map((r) => [`${formatData(r.from)}${r.gasUsed}`, r.status]))
    expect([...statuses.values()].sort()).toEqual([0, 0, 1])
    const moved = receipts.filter(({ status }) => status === 1)
    expect(moved[0]?.logs).toHaveLength(1)
    expect(receipts.filter(({ status }) => status === 0).flatMap(({ logs }) => logs)).toEqual([])
    expect(slotOf(chain, contract, 0n)).toBe(1_000_000n)
    expect(accountOf(chain, addressOf(0)).nonce).toBe(3n)
    expect(block.header.logsBloom).toEqual(logsBloom(moved[0]?.logs ?? [], keccak256))
  })

  test('can be the delegation of an account (EIP-7702)', async () => {
    const chain = await openChain()
    await chain.produce(await deploy())
    const delegator = privateKeyToAccount(DEV_ACCOUNTS[3]?.privateKey as Hex)
    const authorization = await delegator.signAuthorization({
      address: contract,
      chainId: CHAIN_ID,
      nonce: 0,
    })
    const raw = await devAccount(4).signTransaction({
      type: 'eip7702',
      chainId: CHAIN_ID,
      nonce: 0,
      gas: 200_000n,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      to: addressOf(5),
      authorizationList: [authorization],
    })
    const { receipts } = await chain.produce(parseData(raw))
    expect(receipts[0]).toMatchObject({ type: 4, status: 1 })
    const { nonce, codeHash } = accountOf(chain, delegator.address)
    const code = chain.storage.state.view(chain.height).code(codeHash)
    expect(formatData(code)).toBe(`0xef0100${contract.slice(2).toLowerCase()}`)
    expect(nonce).toBe(1n)
  })

  test('replay to the gas, status and logs of their receipts', async () => {
    const chain = await openChain()
    await chain.produce(await deploy())
    await chain.produce(
      await invoke(0, 1, 'transfer', [addressOf(1), 10n]),
      await invoke(0, 2, 'approve', [addressOf(2), 10n]),
      await invoke(2, 0, 'transferFrom', [addressOf(0), addressOf(2), 4n]),
      await invoke(1, 0, 'transferFrom', [addressOf(0), addressOf(2), 4n]),
      await sign(6, { nonce: 0, to: addressOf(7), value: 1n }),
    )
    const { chain: blocks, state } = chain.storage
    const context = {
      history: chain.history,
      rules: lockstepRules(chain.genesis.params, state),
      keccak256,
    }
    const replayEngine = await openEngine(module)
    const runOf = (height: number, signal = new AbortController().signal): PlanRun => ({
      engine: replayEngine,
      plan: planReplay(context, height),
      view: state.view(height - 1),
      signal,
    })
    for (const height of [1, 2]) {
      const receipts = blocks.receipts(height) as readonly Receipt[]
      const run = runOf(height)
      for (const isTraced of [false, true]) {
        await beginPlan(run)
        for (const [index, receipt] of receipts.entries()) {
          const events: TraceEvent[] = []
          const sink = { onEvent: (event: TraceEvent) => events.push(event) }
          const outcome = await runPlanned(run, index, isTraced ? sink : undefined)
          const { gasUsed, success, logs } = outcome
          expect({ gasUsed, status: success ? 1 : 0, logs: [...logs] }).toEqual({
            gasUsed: receipt.gasUsed,
            status: receipt.status,
            logs: receipt.logs,
          })
          if (!isTraced) continue
          expect(events[0]).toMatchObject({ kind: 'enter', depth: 0, from: receipt.from })
          expect(events.at(-1)).toMatchObject({ kind: 'exit', depth: 0 })
        }
      }
    }
    expect(() => planReplay(context, 0)).toThrow('genesis is not traceable')
    expect(() => planReplay(context, 9)).toThrow('block #9 not found')
    expect(planReplay(context, 2, 3).transactions).toHaveLength(3)
    const timedOut = { code: 'REQUEST_TIMEOUT' }
    await expect(beginPlan(runOf(2, AbortSignal.abort()))).rejects.toMatchObject(timedOut)
    const begun = runOf(2)
    await beginPlan(begun)
    const aborted = { ...begun, signal: AbortSignal.abort() }
    await expect(runPlanned(aborted, 0)).rejects.toMatchObject(timedOut)
    const wrong = runOf(2)
    const [first, ...others] = wrong.plan.transactions as [PlannedTransaction]
    const plan = { ...wrong.plan, transactions: [{ ...first, gasUsed: 1n }, ...others] }
    await beginPlan({ ...wrong, plan })
    await expect(runPlanned({ ...wrong, plan }, 0)).rejects.toThrow(
      /^transaction 0 of block 2 used 1 gas and now \d+$/,
    )
  })
})

describe('a proposal', () => {
  test('ends at the gas limit of the block and leaves the rest in the pool', async () => {
    const genesis = devGenesis()
    const chain = await MemoryChain.open(engine, {
      genesis: { ...genesis, params: { ...genesis.params, maxGas: 63_000n } },
    })
    await chain.initialise()
    const raws = await Promise.all(
      Array.from({ length: 5 }, (_, nonce) => sign(0, { nonce, to: addressOf(1), value: 1n })),
    )
    const first = await chain.produce(...raws)
    expect(first.receipts).toHaveLength(3)
    expect(first.block.header.gasUsed).toBe(63_000n)
    expect(chain.mempool.size).toBe(2)
    const second = await chain.produce()
    expect(second.receipts).toHaveLength(2)
    expect(chain.mempool.size).toBe(0)
  })

  test('ends at the byte limit, including the framing that CometBFT counts', async () => {
    const chain = await openChain()
    const raws = await Promise.all(
      [0, 1].map((nonce) => sign(0, { nonce, to: addressOf(1), value: 1n })),
    )
    for (const raw of raws) await chain.mempool.add(raw)
    const { height, time, proposerAddress } = await chain.request([])
    const size = (raws[0]?.length ?? 0) + 2 + (raws[1]?.length ?? 0) + 2
    const propose = (maxTxBytes: number) =>
      chain.application.prepareProposal({ height, time, proposerAddress, maxTxBytes })
    expect(await propose(size)).toHaveLength(2)
    expect(await propose(size - 1)).toHaveLength(1)
    expect(await propose(0)).toHaveLength(0)
  })

  test('raises and lowers the base fee of the next block', async () => {
    const genesis = devGenesis()
    const feeMarket = {
      ...genesis.params.feeMarket,
      initialBaseFee: 10n * GWEI,
      targetGas: 21_000n,
    }
    const params = { ...genesis.params, maxGas: 42_000n, feeMarket }
    const chain = await MemoryChain.open(engine, { genesis: { ...genesis, params } })
    await chain.initialise()
    await chain.produce(
      await sign(0, { nonce: 0, to: addressOf(1) }),
      await sign(0, { nonce: 1, to: addressOf(1) }),
    )
    const second = await chain.produce()
    expect(second.block.header.baseFeePerGas).toBe(10_189_000_000n)
    const third = await chain.produce()
    expect(third.block.header.baseFeePerGas).toBe(10_149_262_900n)
  })
})

describe('the sender of every transaction', () => {
  test('is recovered equally by the engine and by another implementation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(9), fc.nat(1000), async (account, nonce) => {
        const raw = await sign(account, { nonce, to: addressOf(0) })
        expect(decodeTransaction(raw, engine)).toEqual(decodeTransaction(raw, nobleRecovery))
      }),
      { numRuns: 20 },
    )
  })
})
