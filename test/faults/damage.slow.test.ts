import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import type { DamageReport, DamageTask } from './damage/damage-task.ts'
import { FILE_DAMAGE, filesBelow } from './damage/file-damage.ts'

const seed = runSeed()
/** 500 damages take ten minutes: LOCKSTEP_DAMAGES=500 npm run -s test:all -- test/faults/damage.slow */
const DAMAGES = Number(process.env.LOCKSTEP_DAMAGES ?? 30)
const READER = fileURLToPath(new URL('damage/damage-reader.ts', import.meta.url))
const BUNDLED_THREADS = new URL('../support/run/bundled-threads.ts', import.meta.url).href
/** Homes that one process reads, so that leftovers of refused starts do not accumulate. */
const HOMES_A_PROCESS = 40
const STUCK_MS = 60_000

const FLAGS = ['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0']
const QUIET = ['--consensus.create-empty-blocks', 'false', '--consensus.block-time', '20ms']

/** Contract that counts its calls in slot 0 and logs the count with topic 7. */
const COUNTER: Hex = '0x601580600 93d393df36000546001018060005560005260076020 6000a100'.replaceAll(
  ' ',
  '',
) as Hex

const root = makeHome()
/** A chain with its log since the genesis, the same chain without the log, and earlier copies of both. */
const whole = join(root, 'whole')
const older = join(root, 'older')
const bare = join(root, 'bare')
const olderBare = join(root, 'older-bare')

let task: Omit<DamageTask, 'home' | 'verifies'>
const truth = new Map<string, readonly string[]>()

async function addBlocks(home: string, count: number): Promise<number> {
  const daemon = await startDaemon({ home, arguments: QUIET })
  const { rpc } = daemon.ready
  const account = devAccount(0)
  let nonce = Number(await call<Hex>(rpc, 'eth_getTransactionCount', [account.address, 'latest']))
  let head = 0
  const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
  for (let i = 0; i < count; i++, nonce++) {
    const raw = await signDynamicFee(account, {
      nonce,
      ...(nonce === 0
        ? { data: COUNTER }
        : {
            to: nonce % 3 === 0 ? devAccount(1).address : contract,
            value: nonce % 3 === 0 ? 5n : 0n,
          }),
      gas: 200_000n,
    })
    const { blockNumber } = await call<{ blockNumber: Hex }>(rpc, 'eth_sendRawTransactionSync', [
      raw,
    ])
    head = Number(blockNumber)
  }

  expect(await daemon.stop()).toBe(0)
  return head
}

/** Returns the requests by which a chain is compared, at each height. */
function questions(head: number): Pick<DamageTask, 'requests' | 'routes'> {
  const requests: [string, unknown[]][] = []
  const routes: string[] = []
  const [sender, receiver] = [devAccount(0).address, devAccount(1).address]
  const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
  for (let height = 0; height <= head; height++) {
    const at = `0x${height.toString(16)}`
    requests.push(
      ['eth_getBlockByNumber', [at, true]],
      ['eth_getBlockReceipts', [at]],
      ['eth_getBalance', [sender, at]],
      ['eth_getBalance', [receiver, at]],
      ['eth_getTransactionCount', [sender, at]],
      ['eth_getCode', [contract, at]],
      ['eth_getStorageAt', [contract, '0x0', at]],
      ['eth_getLogs', [{ fromBlock: at, toBlock: at }]],
    )
    if (height > 0) {
      routes.push(
        `/block?height=${height}`,
        `/commit?height=${height}`,
        `/block_results?height=${height}`,
      )
    }
  }
  const end = `0x${head.toString(16)}`
  requests.push(
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: end, address: contract }]],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: end, topics: [`0x${'07'.padStart(64, '0')}`] }]],
  )
  return { requests, routes }
}

/** Reads one home after another in a child process, which a signal may end. */
class Reader {
  #child: ChildProcess | undefined
  #homes = 0

  async read(home: string, verifies: boolean): Promise<DamageReport> {
    if (this.#homes++ % HOMES_A_PROCESS === 0) this.stop()
    this.#child ??= fork(READER, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [...process.execArgv, '--import', BUNDLED_THREADS],
    })
    const child = this.#child
    return new Promise((resolve, reject) => {
      const stuck = setTimeout(() => child.kill('SIGKILL'), STUCK_MS)
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        clearTimeout(stuck)
        this.#child = undefined
        reject(new Error(`the process ended with ${signal ?? code}`))
      }
      child.once('exit', ended)
      child.once('message', (report) => {
        clearTimeout(stuck)
        child.off('exit', ended)
        if ((report as DamageReport).isSpent) this.stop()
        resolve(report as DamageReport)
      })
      child.send({ ...task, home, verifies })
    })
  }

  stop(): void {
    this.#child?.removeAllListeners('exit')
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}

const processes = new Reader()

beforeAll(async () => {
  mkdirSync(whole, { mode: 0o700 })
  await addBlocks(whole, 9)
  cpSync(whole, older, { recursive: true })
  const head = await addBlocks(whole, 20)
  const { code } = await runCommand(['snapshot', 'export', '--home', whole])
  expect(code).toBe(0)
  for (const [from, to] of [
    [whole, bare],
    [older, olderBare],
  ] as const) {
    cpSync(from, to, { recursive: true })
    rmSync(join(to, 'data/wal'), { recursive: true })
  }
  const asked = questions(head)
  const daemon = await startDaemon({ home: whole, arguments: QUIET })
  const requests = [...asked.requests]
  for (const [method, params] of asked.requests) {
    if (method !== 'eth_getBlockByNumber') continue
    const block = await call<{ hash: Hex; transactions: { hash: Hex }[] }>(
      daemon.ready.rpc,
      method,
      [...params],
    )
    requests.push(['eth_getBlockByHash', [block.hash, false]])
    for (const { hash } of block.transactions) {
      requests.push(['eth_getTransactionByHash', [hash]], ['eth_getTransactionReceipt', [hash]])
    }
  }
  expect(await daemon.stop()).toBe(0)
  task = { flags: [...FLAGS, ...QUIET], requests, routes: asked.routes }
  for (const home of [whole, bare]) {
    const copy = join(root, 'copy')
    cpSync(home, copy, { recursive: true })
    const { code, answers, output, verified, verification } = await processes.read(copy, true)
    expect({ code, verified }, output + verification).toEqual({ code: 0, verified: 0 })
    truth.set(home, answers as readonly string[])
    rmSync(copy, { recursive: true })
  }
})

afterAll(() => {
  processes.stop()
  removeHome(root)
})

/** An error that reports the damage, which is accepted in place of the right response. */
const TOLD = /"error":\{.*(is damaged|does not match its checksum|is truncated)/
/** With a changed configuration, other responses are not wrong. */
const ORDERS = /^config\/(app|config)\.toml$/

function judge(
  file: string,
  { code, output, answers, verified, verification }: DamageReport,
  right: readonly string[],
): string | undefined {
  if (verified !== 0 && (verified < 64 || verified > 78 || verified === 70)) {
    return `verify-db ended with ${verified}: ${verification.slice(-600)}`
  }
  if (answers === undefined) {
    const [, name = file] = /([^/]+)(?:\/(?:data|lock)\.mdb)?$/.exec(file) ?? []
    const place = file.startsWith('data/wal/') ? 'wal' : name
    if (code < 64 || code > 78 || /--verbose and report/.test(output)) {
      return `start ended with ${code}: ${output.slice(-600)}`
    }
    const isNamed = output.includes(place) || output.includes(file.split('/').at(-2) ?? place)
    return isNamed ? undefined : `start does not name ${place}: ${output.slice(-600)}`
  }
  if (ORDERS.test(file)) return undefined
  for (const [i, answer] of answers.entries()) {
    if (answer === right[i] || TOLD.test(answer)) continue
    const asked = task.requests[i] ?? task.routes[i - task.requests.length]
    return `${JSON.stringify(asked)} was answered ${answer.slice(0, 300)}, right is ${right[i]?.slice(0, 300)}`
  }
  return undefined
}

test(
  `${DAMAGES} damaged files are repaired or refused (LOCKSTEP_SEED=${seed})`,
  async () => {
    const random = makeRandom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    const kinds = Object.keys(FILE_DAMAGE)
    // Each run damages consecutive files, starting from a random one.
    const first = below(1_000)
    const faults: string[] = []
    const counts = { served: 0, refused: 0 }
    for (let i = 0; i < DAMAGES; i++) {
      const [home, old] = i % 2 === 0 ? [whole, older] : [bare, olderBare]
      const files = filesBelow(home)
      const file = files[(first + (i >>> 1)) % files.length] as string
      const kind = kinds[below(kinds.length)] as string
      const copy = join(root, `copy-${i}`)
      cpSync(home, copy, { recursive: true })
      FILE_DAMAGE[kind]?.(join(copy, file), join(old, file), below)
      const what = `${i}: ${home === whole ? 'with' : 'without'} its log, ${file}, ${kind}`
      try {
        const report = await processes.read(copy, i % 16 < 2)
        counts[report.answers === undefined ? 'refused' : 'served']++
        const fault = judge(file, report, truth.get(home) as readonly string[])
        if (fault !== undefined) faults.push(`${what}: ${fault}`)
      } catch (thrown) {
        faults.push(`${what}: ${String(thrown)}`)
      }
      rmSync(copy, { recursive: true })
      rmSync(`${copy}.ready`, { force: true })
    }
    console.info(`${counts.served} served, ${counts.refused} refused`)
    expect(faults).toEqual([])
    expect(Math.min(counts.served, counts.refused)).toBeGreaterThan(DAMAGES / 20)
  },
  600_000 + DAMAGES * 10_000,
)
