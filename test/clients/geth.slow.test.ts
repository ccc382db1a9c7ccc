import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData, formatQuantity, type Hex, parseData } from '../../host/base/hex.ts'
import { BEACON_ROOTS, BLOCK_HASH_CONTRACT } from '../../host/evm/execute/ethereum/block-env.ts'
import { decodeEthereumGenesis } from '../../host/evm/execute/ethereum/genesis.ts'
import { type Dice, makeDice } from '../fuzz/dice.ts'
import { type Daemon, runCommand, startDaemon } from '../support/node/daemon.ts'
import { call, post, type RpcAnswer } from '../support/node/json-rpc.ts'
import { type LastFork, makePeerChain } from './peer/chain.ts'
import { firstDifference } from './peer/difference.ts'
import { type ArchiveGeth, findGeth, startArchive } from './peer/geth.ts'
import { notifications } from './peer/notifications.ts'
import type { Question } from './peer/question.ts'
import { type KnownBlock, type KnownTransaction, readQuestions } from './peer/read-questions.ts'
import { namesIn, stateQuestions } from './peer/state-questions.ts'
import { TRACE_FORMS } from './peer/trace-forms.ts'
import { isSuperset, runFromWitness } from './peer/witness.ts'

const geth = findGeth()
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)
/** True to trace every transaction in all forms, instead of one of four forms in turn. */
const TRACES_ALL = process.env.LOCKSTEP_PEER_ALL === '1'
const RANDOM_TRANSACTIONS = 200
const AT_ONCE = 4

if ('reason' in geth) console.log(`Not compared with geth: ${geth.reason}`)
else console.log(`Compared with geth on a chain of seed ${SEED} (LOCKSTEP_SEED)`)

/** Returns geth's result without the members that tools/reference/geth-differences.ts lists. */
function withoutSlips(method: string, result: unknown): unknown {
  if (method !== 'eth_simulateV1' || result === undefined) return result
  const isSlip = (name: string, value: unknown) =>
    name === 'chainId' && value === '0x7fffffffffffffee'
  return JSON.parse(JSON.stringify(result), (name, value) =>
    isSlip(name, value) ? undefined : value,
  )
}

/** Returns the name of a trace file without its random suffix. */
const withoutRandom = (name: string): string => basename(name).replace(/-[^-]*$/, '')

const hasNoStorage = ({ result }: RpcAnswer): boolean =>
  Object.keys((result as { storage: object | null } | undefined)?.storage ?? {}).length === 0

/** Returns true for contracts that the protocol calls before a block's transactions. */
const isSystemContract = (address: unknown): boolean =>
  address === formatData(BEACON_ROOTS) || address === formatData(BLOCK_HASH_CONTRACT)

/** Returns true if tools/reference/geth-differences.ts lists the difference. */
function isAccepted({ form, params }: Question, asked: RpcAnswer, ours: RpcAnswer): boolean {
  if (form.includes('erc7562Tracer')) {
    const { code, message } = asked.error ?? {}
    const isCrash = code === -32603 && message === 'method handler crashed'
    return isCrash && ours.error === undefined
  }
  if (form === 'debug_intermediateRoots' && asked.result === null) {
    return Array.isArray(ours.result) && ours.result.length === 0
  }
  if (form === 'debug_storageRangeAt') {
    if (isSystemContract(params[2])) return true
    return hasNoStorage(asked) && hasNoStorage(ours)
  }
  if (form === 'debug_executionWitness') return isSuperset(ours.result, asked.result)
  if (form.startsWith('eth_simulateV1')) {
    return ours.error?.message.includes('for simulations (evm.simulation_gas_limit)') ?? false
  }
  if (form === 'eth_gasPrice') return true
  return form === 'eth_getBlockByNumber' && (params[0] === 'safe' || params[0] === 'finalized')
}

/** The second one crosses from Osaka into Amsterdam. */
const FORKS: readonly LastFork[] = ['osaka', 'amsterdam']

describe.skipIf('reason' in geth).each(FORKS)('geth and Lockstep on a chain up to %s', (fork) => {
  let folder: string
  let theirs: ArchiveGeth
  let ours: Daemon
  let dice: Dice
  const blocks: KnownBlock[] = []
  const transactions: KnownTransaction[] = []

  beforeAll(async () => {
    if ('reason' in geth) return
    folder = mkdtempSync(join(tmpdir(), 'lockstep-peer-'))
    const home = join(folder, 'home')
    dice = makeDice(SEED)
    const chain = await makePeerChain(geth.path, folder, SEED, RANDOM_TRANSACTIONS, fork)
    const imported = await runCommand([
      ...['import', chain.blocks, '--genesis', chain.genesis, '--home', home],
    ])
    expect(imported).toMatchObject({ code: 0 })
    theirs = await startArchive(geth.path, chain.home)
    ours = await startDaemon({ home, dev: false })
    for (let height = 1; height <= chain.last; height++) {
      const params = [formatQuantity(height), true]
      const block = await call<KnownBlock>(theirs.rpc, 'eth_getBlockByNumber', params)
      blocks.push(block)
      transactions.push(...block.transactions)
    }
  })

  afterAll(async () => {
    await theirs?.stop()
    await ours?.stop()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  /** Asks both nodes. Returns a line for each form with the number of equal answers and the first that differs. */
  async function compare(questions: readonly Question[]): Promise<string[]> {
    const faults: string[] = []
    const counts = new Map<string, { equal: number; all: number }>()
    const ask = async (question: Question): Promise<void> => {
      const { form, method, params } = question
      const [asked, answered] = await Promise.all([
        post(theirs.rpc, method, [...params]),
        post(ours.ready.rpc, method, [...params]),
      ])
      const count = counts.get(form) ?? { equal: 0, all: 0 }
      counts.set(form, count)
      count.all++
      const found = firstDifference(
        { result: withoutSlips(method, asked.result), error: asked.error },
        { result: answered.result, error: answered.error },
      )
      if (found === undefined || isAccepted(question, asked, answered)) count.equal++
      else {
        faults.push(`${method} ${JSON.stringify(params).slice(0, 400)}: ${JSON.stringify(found)}`)
      }
    }
    for (let i = 0; i < questions.length; i += AT_ONCE) {
      await Promise.all(questions.slice(i, i + AT_ONCE).map(ask))
    }
    for (const [form, { equal, all }] of counts) {
      if (equal < all) console.log(`${form}: equal ${equal} of ${all}`)
    }
    return faults
  }

  test('have dozens of blocks and hundreds of transactions of every type', () => {
    expect(blocks.length).toBeGreaterThan(48)
    expect(transactions.length).toBeGreaterThan(487)
    const types = new Set(transactions.map(({ type }) => type))
    expect([...types].sort()).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4'])
  })

  // In Amsterdam, access lists of calls that run out of gas at an SSTORE still differ: 2 of 165.
  test.skipIf(fork === 'amsterdam')(
    'return the same result for every read',
    async () => {
      expect(await compare(readQuestions(dice, blocks, 4))).toEqual([])
    },
    240_000,
  )

  test('return the same whole states, ranges of them, and state accesses of a block', async () => {
    const dump = await call<object>(theirs.rpc, 'debug_dumpBlock', ['latest'])
    const { contracts, keys } = namesIn(dump)
    expect(contracts.length).toBeGreaterThan(5)
    expect(await compare(stateQuestions(dice, blocks, contracts, keys))).toEqual([])
  }, 240_000)

  test('return witnesses that suffice to execute each block to its state root', async () => {
    const genesis = decodeEthereumGenesis(readFileSync(join(folder, 'genesis.json'), 'utf8'))
    for (const { number } of blocks) {
      const raw = await call<Hex>(theirs.rpc, 'debug_getRawBlock', [number])
      const witness = await call<object>(ours.ready.rpc, 'debug_executionWitness', [number])
      await runFromWitness(genesis, parseData(raw), witness)
    }
  })

  test('have block access lists whose hashes geth has put into its headers', async () => {
    for (const { number, blockAccessListHash } of blocks) {
      const { result, error } = await post(ours.ready.rpc, 'debug_getRawBlockAccessList', [number])
      if (blockAccessListHash === undefined) {
        expect(error?.code).toBe(-32001)
        continue
      }
      expect(formatData(keccak_256(parseData(result as Hex)))).toBe(blockAccessListHash)
      const list = await call<object[]>(ours.ready.rpc, 'eth_getBlockAccessListByNumber', [number])
      expect(list.length).toBeGreaterThan(0)
    }
    expect(blocks.some((block) => block.blockAccessListHash !== undefined)).toBe(
      fork === 'amsterdam',
    )
  })

  test("return by methods of Erigon and reth what geth's own methods return", async () => {
    const here = <Result>(method: string, ...params: unknown[]) =>
      call<Result>(ours.ready.rpc, method, params)
    const there = <Result>(method: string, ...params: unknown[]) =>
      call<Result>(theirs.rpc, method, params)
    const { config } = JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8'))
    expect(await here('debug_chainConfig')).toEqual(config)
    const sample = transactions.filter(({ to }, i) => to !== null && i % 9 === 0)
    expect(sample.length).toBeGreaterThan(20)
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    for (const { hash, blockNumber, from, to, input, value } of sample) {
      const { nonce } = await there<{ nonce: Hex }>('eth_getTransactionByHash', hash)
      const found = await here('eth_getTransactionBySenderAndNonce', from, nonce)
      expect(found).toEqual(await there('eth_getTransactionByHash', hash))
      const asked = { from, to, input, value }
      const traced = await there('debug_traceCall', asked, blockNumber, options)
      const bundle = [{ transactions: [asked] }]
      const at = { blockNumber }
      expect(await here('debug_traceCallMany', bundle, at, options)).toEqual([[traced]])
      const { result, error } = await post(theirs.rpc, 'eth_call', [asked, blockNumber])
      const [[outcome] = []] = await here<object[][]>('eth_callMany', bundle, at)
      const failure = {
        error: error?.message,
        ...(error?.data !== undefined && { data: error.data }),
      }
      expect(outcome).toEqual(error === undefined ? { value: result } : failure)
      const code = await there<Hex>('eth_getCode', to, blockNumber)
      expect(await here('eth_getAccountInfo', to, blockNumber)).toEqual({
        balance: await there('eth_getBalance', to, blockNumber),
        nonce: await there('eth_getTransactionCount', to, blockNumber),
        code,
      })
      const codeHash = formatData(keccak_256(parseData(code)))
      expect(await here('debug_codeByHash', codeHash, blockNumber)).toBe(code)
      const targets = [from, to].map((address) => [address, ['0x0', '0x1']] as const)
      const proofs = targets.map(([address, slots]) =>
        there('eth_getProof', address, slots, blockNumber),
      )
      expect(await here('eth_getMultiProof', targets, blockNumber)).toEqual(
        await Promise.all(proofs),
      )
    }
  }, 240_000)

  test('write the same steps of blocks to trace files', async () => {
    const forms = [{}, { enableMemory: true }, { enableReturnData: true, disableStack: true }]
    const faults: string[] = []
    for (const [i, { hash, transactions: inside }] of blocks.entries()) {
      const one = i % 4 === 0 ? { txHash: inside.at(-1)?.hash } : {}
      const params = [hash, { ...forms[i % 3], ...one, ...(i % 7 === 0 && { limit: 5000 }) }]
      const [asked, answered] = await Promise.all(
        [theirs.rpc, ours.ready.rpc].map((url) =>
          call<string[] | null>(url, 'debug_standardTraceBlockToFile', params),
        ),
      )
      if (inside.length === 0) {
        expect([asked, answered]).toEqual([null, []])
        continue
      }
      expect(answered?.map(withoutRandom)).toEqual(asked?.map(withoutRandom))
      for (const [at, name] of (asked ?? []).entries()) {
        const [text, other] = [name, answered?.[at] as string].map((file) => {
          const lines = readFileSync(file, 'utf8')
          rmSync(file)
          return lines.split('\n')
        }) as [string[], string[]]
        const line = text.findIndex((wanted, row) => wanted !== other[row])
        if (line >= 0 || text.length !== other.length) {
          faults.push(`${name} line ${line}: geth ${text[line]} lockstep ${other[line]}`)
        }
      }
    }
    expect(faults).toEqual([])
  }, 240_000)

  test('send the same traces of a range of blocks over a subscription', async () => {
    const last = formatQuantity(blocks.length)
    const params = ['traceChain', '0x2', last, { tracer: 'callTracer' }]
    const [asked, answered] = await Promise.all(
      [theirs.ws, ours.ready.ws].map((url) => notifications(url, 'debug', params, last)),
    )
    expect(asked?.length).toBeGreaterThan(40)
    expect(firstDifference(asked, answered)).toBeUndefined()
  })

  test('return the same traces of every transaction', async () => {
    const questions = transactions.flatMap(({ hash }, i) =>
      TRACE_FORMS.filter((_, at) => TRACES_ALL || (at + i) % 4 === 0).map(
        ({ name, options }): Question => ({
          form: name,
          method: 'debug_traceTransaction',
          params: [hash, options],
        }),
      ),
    )
    expect(await compare(questions)).toEqual([])
  }, 600_000)
})
