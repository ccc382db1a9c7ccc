import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWalletClient, type Hex, http, publicActions, type TransactionReceipt } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { concatBytes } from '../../host/base/bytes.ts'
import { formatData } from '../../host/base/hex.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { ONLY_PROGRESS } from '../support/node/progress-lines.ts'
import { viemChain } from '../support/node/viem-chain.ts'

// A node runs transactions of every kind and records them. Then it stops, its home is deleted, and every transaction
// is replayed from the files alone.

/** Returns init code that deploys `runtime`. */
function deploying(runtime: Uint8Array): Uint8Array {
  const copy = (offset: number) =>
    assemble(runtime.length, 'DUP1', offset, 0, 'CODECOPY', 0, 'RETURN')
  return concatBytes([copy(copy(0).length), runtime])
}

/** Counts its calls in slot 0 and logs the count. */
const COUNTER = assemble(
  ...[0, 'SLOAD', 1, 'ADD', 'DUP1', 0, 'SSTORE', 0, 'MSTORE'],
  ...[0xabc, 32, 0, 'LOG1', 32, 0, 'RETURN'],
)
/** Writes and reverts, with 32 bytes of data. */
const REVERTER = assemble(7, 0, 'SSTORE', 0xdead, 0, 'MSTORE', 32, 0, 'REVERT')
/** Sends its balance to the caller and destroys itself. */
const DESTROYED = assemble('CALLER', 'SELFDESTRUCT')

/** Returns code that puts up to 32 bytes of init code at memory offset 0 for CREATE. */
function inMemory(code: Uint8Array): readonly (string | number | bigint)[] {
  const word = BigInt(formatData(concatBytes([code, new Uint8Array(32 - code.length)])))
  return [word, 0, 'MSTORE']
}

/**
 * Returns code with calls of every kind, creations, a destruction, and all reads of the block and of other accounts.
 */
function worker(counter: Hex, reverter: Hex, stranger: Hex): Uint8Array {
  const [to, failing] = [BigInt(counter), BigInt(reverter)]
  const init = deploying(DESTROYED)
  return assemble(
    ...[0, 0, 0, 0, 0, to, 'GAS', 'CALL', 'POP'],
    ...[0, 0, 0, 0, 0, failing, 'GAS', 'CALL', 'POP'],
    ...[0, 0, 0, 0, to, 'GAS', 'DELEGATECALL', 'POP'],
    ...[0, 0, 0, 0, to, 50_000, 'STATICCALL', 'POP'],
    ...inMemory(init),
    ...[init.length, 0, 0, 'CREATE', 'POP'],
    ...[5, init.length, 0, 0, 'CREATE2'],
    // Destroys the contract that it has just created
    ...[0, 0, 0, 0, 0, 'DUP6', 'GAS', 'CALL', 'POP', 'EXTCODESIZE', 'POP'],
    ...[1, 'NUMBER', 'SUB', 'BLOCKHASH', 9, 'SSTORE'],
    ...[BigInt(stranger), 'BALANCE', 10, 'SSTORE', BigInt(stranger), 'EXTCODEHASH', 'POP'],
    ...[3, 'TLOAD', 'POP', 4, 3, 'TSTORE', 32, 0, 'LOG0', 'STOP'],
  )
}

const TRACERS: readonly (readonly [name: string, config: object])[] = [
  ['opcodeTracer', { enableMemory: true, enableReturnData: true }],
  ['callTracer', { withLog: true }],
  ['prestateTracer', {}],
  ['prestateTracer', { diffMode: true }],
  ['flatCallTracer', {}],
  ['4byteTracer', {}],
]

let folder: string
let recorded: string
/** Transaction hashes by name. */
const hashes = new Map<string, Hex>()
/** The node's traces: the JSON text of each result, by file and tracer. */
const traces = new Map<string, string>()
let many: number

const fileOf = (name: string) => join(recorded, `tx-${hashes.get(name)}.json`)
const blockFile = () => join(recorded, `block-${many}.json`)
const traceKey = (file: string, tracer: string, config: object) =>
  `${file} ${tracer} ${JSON.stringify(config)}`

/** Returns the text of a result, byte for byte. */
async function resultText(url: string, method: string, params: unknown[]): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  const start = '{"jsonrpc":"2.0","id":1,"result":'
  expect(text.slice(0, start.length)).toBe(start)
  return text.slice(start.length, -1)
}

async function runTransactions(url: string): Promise<void> {
  const chain = viemChain({ rpc: url, chainId: 31337 })
  const client = createWalletClient({ account: devAccount(0), chain, transport: http(url) }).extend(
    publicActions,
  )
  const mined = (hash: Hex): Promise<TransactionReceipt> =>
    client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  const run = async (name: string, request: object) => {
    const hash = await client.sendTransaction({ gas: 1_000_000n, ...request } as never)
    hashes.set(name, hash)
    return mined(hash)
  }
  const deploy = async (name: string, code: Uint8Array): Promise<Hex> => {
    const { contractAddress } = await run(name, { data: formatData(deploying(code)) })
    return contractAddress as Hex
  }

  const counter = await deploy('creation', COUNTER)
  const reverter = await deploy('second creation', REVERTER)
  const busy = await deploy('third creation', worker(counter, reverter, devAccount(5).address))
  await run('call', { to: counter })
  await run('everything', { to: busy })
  await run('revert', { to: reverter })
  await run('failed creation', { data: formatData(REVERTER) })
  await run('out of gas', { to: busy, gas: 60_000n })
  await run('transfer', { to: devAccount(6).address, value: 5n })
  const authorization = await client.signAuthorization({ contractAddress: busy, executor: 'self' })
  await run('delegation', {
    to: devAccount(0).address,
    authorizationList: [authorization],
  })
  const destroyed = await deploy('fourth creation', DESTROYED)
  await run('destruction', { to: destroyed, value: 3n })

  // A nonce gap queues them. The last one sent releases all twenty into one block.
  const sender = createWalletClient({ account: devAccount(1), chain, transport: http(url) })
  const ahead = Array.from({ length: 20 }, (_, i) => 19 - i)
  let last: Hex = '0x'
  for (const nonce of ahead) {
    const to = nonce % 3 === 0 ? busy : nonce % 3 === 1 ? counter : reverter
    last = await sender.sendTransaction({ to, nonce, gas: 600_000n })
  }
  const { blockNumber } = await mined(last)
  many = Number(blockNumber)
  const { transactions } = await call<{ transactions: Hex[] }>(url, 'eth_getBlockByNumber', [
    `0x${many.toString(16)}`,
    false,
  ])
  expect(transactions).toHaveLength(20)
  hashes.set('eighth of many', transactions[7] as Hex)
}

async function traceAll(url: string): Promise<void> {
  for (const [tracer, tracerConfig] of TRACERS) {
    for (const [name, hash] of hashes) {
      const params = [hash, { tracer, tracerConfig }]
      const text = await resultText(url, 'debug_traceTransaction', params)
      traces.set(traceKey(fileOf(name), tracer, tracerConfig), text)
    }
    const params = [`0x${many.toString(16)}`, { tracer, tracerConfig }]
    const text = await resultText(url, 'debug_traceBlockByNumber', params)
    traces.set(traceKey(blockFile(), tracer, tracerConfig), text)
  }
}

beforeAll(async () => {
  folder = makeHome()
  recorded = join(folder, 'recorded')
  const home = join(folder, 'home')
  mkdirSync(home)
  const daemon = await startDaemon({ home })
  const { rpc } = daemon.ready
  await runTransactions(rpc)
  await traceAll(rpc)
  writeFileSync(
    join(folder, 'fetched.json'),
    await resultText(rpc, 'debug_traceStateAccess', [hashes.get('everything')]),
  )
  const targets = [...hashes.values(), String(many), '1-2']
  const record = await runCommand(['record', ...targets, '--url', rpc, '--out', recorded])
  expect(record).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
  const again = await runCommand(['record', '1', '--url', rpc, '--out', recorded])
  expect(again).toMatchObject({ code: 64 })
  expect(again.stderr).toContain('block-1.json exists already')
  const forced = ['record', '0x1', '--force', '--url', rpc, '--out', recorded]
  expect(await runCommand(forced)).toMatchObject({ code: 0 })
  const newest = ['record', 'latest', '--force', '--url', rpc, '--out', recorded]
  expect(await runCommand(newest)).toMatchObject({ code: 0, stderr: ONLY_PROGRESS })
  const oldest = await runCommand(['record', 'earliest', '--url', rpc, '--out', recorded])
  expect(oldest.code).toBe(69)
  expect(oldest.stderr).toContain('was refused: genesis is not traceable (-32000)')
  await daemon.stop()
  rmSync(home, { recursive: true })
})

afterAll(() => removeHome(folder))

describe('recorded files', () => {
  test('replay with the same result after the node and its home are gone', async () => {
    const { code, stdout, stderr } = await runCommand(['replay', recorded])
    expect({ code, stderr }).toEqual({ code: 0, stderr: ONLY_PROGRESS })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(readdirSync(recorded).length)
    for (const line of lines) expect(line).toMatch(/^same {5}.*, receipts and steps compared$/)
    expect(stdout).toContain(`block-${many}.json: 20 transactions, `)
    expect(stdout).toContain('block-1.json: 0 transactions, 0 steps')
  })

  test('are described as JSON by replay --json', async () => {
    const { code, stdout } = await runCommand(['replay', fileOf('transfer'), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      bundle: fileOf('transfer'),
      result: 'same',
      transactions: 1,
      steps: 0,
      compared: 'steps',
    })
  })

  test.each(TRACERS)('give the same bytes as the node if traced by %s %j', async (...tracer) => {
    const [name, config] = tracer
    const files = [...new Set([...hashes.keys()].map(fileOf)), blockFile()]
    const options = ['--tracer', name, '--tracer-config', JSON.stringify(config)]
    const { code, stdout, stderr } = await runCommand(['replay', ...files, ...options])
    expect({ code, stderr }).toEqual({ code: 0, stderr: ONLY_PROGRESS })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(files.length)
    for (const [i, file] of files.entries()) {
      // Not toBe: a diff of megabytes would be unreadable
      const isSame = lines[i] === traces.get(traceKey(file, name, config))
      expect({ file, isSame }).toEqual({ file, isSame: true })
    }
  })

  test('can also be saved from a JSON-RPC response of the node', async () => {
    const file = join(folder, 'fetched.json')
    const { code, stdout } = await runCommand(['replay', file])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^same .*: 1 transaction, \d+ steps, receipts compared\n$/)
    const fetched = JSON.parse(readFileSync(file, 'utf8'))
    expect(Object.keys(fetched)).toEqual(['app', 'tendermint', 'receipt', 'bundle'])
    expect(fetched.tendermint.traces).toMatchObject([
      { endpoint: 'Block', response: { block: { header: { chain_id: '31337' } } } },
    ])
    expect(fetched.receipt.traces).toHaveLength(1)
    expect(fetched.bundle.blockHashes).toHaveLength(1)
  })
})

interface Document {
  app: { modules: { evm: { reads: Record<string, string> } } }
  bundle: {
    engine: string
    block: Record<string, unknown>
    transactions: { steps: string; receipt: string; gasUsed: string }[]
  }
}

/** Returns a folder with a changed copy of one recorded transaction. */
function changed(name: string, change: (document: Document) => void): string {
  const target = join(folder, `changed-${Math.random().toString(36).slice(2)}`)
  mkdirSync(target)
  cpSync(fileOf('transfer'), join(target, 'a-transfer.json'))
  const document = JSON.parse(readFileSync(fileOf(name), 'utf8')) as Document
  change(document)
  writeFileSync(join(target, 'b-changed.json'), JSON.stringify(document))
  return target
}

const STEP =
  /: transaction 0x[0-9a-f]{64}: step (\d+) \(pc (\d+), (\w+), depth (\d+), gas (\d+)\) differs from/

describe('a changed bundle file', () => {
  test('is reported with the first step that sees a changed storage value', async () => {
    const target = changed('call', ({ app }) => {
      const { reads } = app.modules.evm
      const slot = Object.keys(reads).find((key) => key.startsWith('03')) as string
      reads[slot] = `${'00'.repeat(31)}77`
    })
    const { code, stdout, stderr } = await runCommand(['replay', target])
    expect(code).toBe(1)
    const [first, second] = stdout.trimEnd().split('\n') as [string, string]
    expect(first).toMatch(/^same .*a-transfer\.json/)
    expect(second).toMatch(/^differs .*b-changed\.json/)
    // PUSH1 0, SLOAD, and then the step with the value on its stack
    expect(STEP.exec(second)?.slice(1, 5)).toEqual(['2', '3', 'PUSH1', '1'])
    expect(stderr).toMatch(/^Error: 1 of 2 bundles differ from what was recorded\nHint: /)
  })

  test('is reported with the step whose digest was changed', async () => {
    const target = changed('everything', ({ bundle }) => {
      const [only] = bundle.transactions as [Document['bundle']['transactions'][number]]
      const digests = Buffer.from(only.steps, 'base64')
      digests.writeUInt8(digests.readUInt8(4 * 30) ^ 0x80, 4 * 30)
      only.steps = digests.toString('base64')
    })
    const { code, stdout } = await runCommand(['replay', target, '--json'])
    expect(code).toBe(1)
    const facts = JSON.parse(stdout.trimEnd().split('\n')[1] as string)
    expect(facts).toMatchObject({
      result: 'differs',
      difference: { kind: 'step', at: { step: 30 }, transaction: hashes.get('everything') },
    })
  })

  test('is reported with the changed field of its receipt', async () => {
    const target = changed('transfer', ({ bundle }) => {
      const [only] = bundle.transactions as [Document['bundle']['transactions'][number]]
      only.gasUsed = '0x5209'
    })
    const { code, stdout } = await runCommand(['replay', target])
    expect(code).toBe(1)
    expect(stdout).toContain('gasUsed of the receipt is 0x5208, but 0x5209 was recorded')
  })

  test('is reported with the step that needs a missing read', async () => {
    const target = changed('call', ({ app }) => {
      const { reads } = app.modules.evm
      delete reads[Object.keys(reads).find((key) => key.startsWith('03')) as string]
    })
    const { code, stdout } = await runCommand(['replay', target])
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /the recorded state has no slot 0x0{64} of 0x[0-9a-f]{40} \(first read: step 1 \(pc 2, SLOAD, depth 1,/,
    )
    const traced = await runCommand(['replay', target, '--tracer', 'callTracer'])
    expect(traced.code).toBe(69)
    expect(traced.stderr).toMatch(/^Error: .*b-changed\.json: the recorded state has no slot/)
  })

  test('is refused with the invalid member and its rule, and the other files still run', async () => {
    const target = changed('call', ({ bundle }) => {
      bundle.block.baseFee = 7
    })
    writeFileSync(join(target, 'c-text.json'), 'no JSON')
    const { code, stdout, stderr } = await runCommand(['replay', target])
    expect(code).toBe(65)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^same /)
    expect(lines[1]).toMatch(
      /^invalid {2}.*b-changed\.json: bundle\.block\.baseFee: want a hex quantity of at most 256 bits, got 7$/,
    )
    expect(lines[2]).toMatch(/^invalid {2}.*c-text\.json: cannot be read: /)
    expect(stderr).toMatch(/^Error: 2 of 3 bundles cannot be run, 0 differ\n/)
  })

  test('is replayed with a note if another engine recorded it', async () => {
    const target = changed('call', ({ bundle }) => {
      bundle.engine = 'ab'.repeat(32)
    })
    const { code, stderr } = await runCommand(['replay', target])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Note: recorded with engine abababababab: 1; this one is [0-9a-f]{12}\n$/,
    )
  })
})

describe('an invalid command line', () => {
  test.each([
    [['replay', 'nowhere'], 65, 'Error: nowhere: cannot be read: '],
    [['replay', '.', '--tracer', 'fooTracer'], 69, 'tracer "fooTracer" is not available'],
    [['record', 'frob'], 64, 'Error: "frob" is not a transaction hash, block or range of blocks'],
    [['record', '9-7'], 64, 'Error: "9-7" is a range that ends before it begins'],
    [['record', '1', '--url', 'ftp://x'], 64, 'Error: --url: "ftp://x" is not an http address'],
    [
      ['record', '1', '--url', 'http://127.0.0.1:1'],
      69,
      'Error: no node answers at http://127.0.0.1:1',
    ],
  ])('%j exits with %i', async (args, code, text) => {
    const finished = await runCommand([...args, ...(args[0] === 'record' ? ['--out', folder] : [])])
    expect(finished.code).toBe(code)
    expect(finished.stderr).toContain(text)
  })
})
