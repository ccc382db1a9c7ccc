import { spawn } from 'node:child_process'
import { cpSync, existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import {
  initializeValidator,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../support/node/daemon.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'
import { MAIN } from '../../support/node/main-file.ts'
import { mineDynamicFee } from '../../support/node/progress.ts'
import { makeRandom, runSeed } from '../../support/random.ts'

const QUIET = ['--consensus.create-empty-blocks', 'false', '--consensus.block-time', '10ms']
/** Transactions, each in its own block. */
const TRANSACTIONS = 12
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 3)
const seed = runSeed()

const home = makeHome()
const copies: string[] = []
afterAll(() => {
  for (const each of [home, ...copies]) removeHome(each)
})

/** A copy of the stopped home. */
function copyHome(): string {
  const copy = makeHome()
  copies.push(copy)
  cpSync(home, copy, { recursive: true })
  return copy
}

interface Answer {
  readonly hash: Hex
  readonly stateRoot: Hex
}

/** Returns the blocks and balances of a node started on a home, from genesis on. */
async function answersOf(folder: string, to: number): Promise<unknown[]> {
  const daemon = await startDaemon({ home: folder, dev: false, arguments: QUIET })
  const { rpc } = daemon.ready
  const answers: unknown[] = []
  for (let height = 0; height <= to; height++) {
    const number = `0x${height.toString(16)}`
    const block = await call<Answer>(rpc, 'eth_getBlockByNumber', [number, true])
    const receipts = await call(rpc, 'eth_getBlockReceipts', [number])
    const balances = []
    for (let n = 0; n < 3; n++) {
      balances.push(await call(rpc, 'eth_getBalance', [devAccount(n).address, number]))
    }
    answers.push({ block, receipts, balances })
  }
  expect(await daemon.stop()).toBe(0)
  return answers
}

let height = 0
let appHash = ''
let answers: unknown[] = []

beforeAll(async () => {
  await initializeValidator(home)
  const daemon = await startDaemon({ home, dev: false, arguments: QUIET })
  const { rpc, consensus } = daemon.ready
  for (let nonce = 0; nonce < TRANSACTIONS; nonce++) {
    const to = devAccount(1 + (nonce % 2)).address
    await mineDynamicFee(rpc, 0, { nonce, to, value: 1n + BigInt(nonce) })
  }
  const busy = await runCommand(['rollback', '--home', home])
  expect(busy).toMatchObject({ code: 75, stdout: '' })
  expect(busy.stderr).toMatch(
    /^Error: failed to initialize database: resource temporarily unavailable \(.*\)\nHint: /,
  )
  // One more block follows by itself, with the app hash of the last transaction in its header.
  const status = async () => {
    const response = await fetch(`${consensus}/status`)
    const { result } = (await response.json()) as {
      result: { sync_info: { latest_block_height: string } }
    }
    return Number(result.sync_info.latest_block_height)
  }
  for (let before = -1; before !== height; height = await status()) before = height
  expect(await daemon.stop()).toBe(0)
  answers = await answersOf(home, TRANSACTIONS)
})

test('rollback prints the old and new height, and the node executes the removed blocks again', async () => {
  const folder = copyHome()
  const { code, stdout, stderr } = await runCommand(['rollback', '-n', '4', '--home', folder])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  const [app, consensus, end, next, ...rest] = lines
  const found = /^Initial App state height=(\d+) and hash=([0-9A-F]{64})$/.exec(app ?? '')
  height = Number(found?.[1])
  appHash = found?.[2] ?? ''
  expect(height).toBeGreaterThanOrEqual(TRANSACTIONS)
  expect(consensus).toBe(`Initial Tendermint state height=${height}`)
  const done = new RegExp(
    `^Rollback complete target height ${height - 4}. App hash ([0-9A-F]{64}), state hash ([0-9A-F]{64})$`,
  ).exec(end ?? '')
  expect(done?.[1]).toBe(done?.[2])
  expect(next).toBe(`Blocks ${height - 3} to ${height} are executed again at the next start.`)
  expect(rest).toEqual([])
  expect(await answersOf(folder, TRANSACTIONS)).toEqual(answers)
  // The node produced no further block, so that the same home at the same app hash is rolled back again.
  const again = await runCommand(['rollback', '--home', folder, '--json'])
  const { initial } = JSON.parse(again.stdout)
  expect(initial).toEqual({ app: height, appHash, consensus: height })
})

test('a validator refuses to remove blocks that it has signed unless a flag allows it', async () => {
  const folder = copyHome()
  const refused = await runCommand(['rollback', '--hard', '--home', folder])
  expect(refused.code).toBe(70)
  expect(refused.stderr).toContain('which this validator has signed: it could sign no other block')
  expect(await answersOf(folder, TRANSACTIONS)).toEqual(answers)
  const forced = ['rollback', '-n', '5', '--hard', '--unsafe-sign-again', '--home', folder]
  const { code, stderr, stdout } = await runCommand(forced)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Transactions of the removed blocks')
  expect(stdout).not.toContain('executed again')
  const daemon = await startDaemon({ home: folder, dev: false, arguments: QUIET })
  const { blockNumber, status } = await mineDynamicFee<{ blockNumber: Hex; status: Hex }>(
    daemon.ready.rpc,
    0,
    { to: devAccount(2).address, value: 7n },
  )
  expect(status).toBe('0x1')
  // The first blocks contain the transactions from the journal of the mempool.
  expect(Number(blockNumber)).toBeGreaterThan(height - 5)
  expect(await daemon.stop()).toBe(0)
})

test(`a rollback that is killed ${KILLS} times ends in the same home when it is run again (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  let kills = 0
  let refusals = 0
  while (kills < KILLS) {
    const folder = copyHome()
    for (let isDone = false; !isDone; ) {
      const args = [MAIN, 'rollback', '-n', '6', '--home', folder]
      const child = spawn(process.execPath, args, { stdio: 'ignore' })
      // The marker exists from the first change to the last.
      const marker = join(folder, 'data', 'rollback.json')
      const delay = random() * 120
      const watcher = watch(join(folder, 'data'), () => {
        if (kills >= KILLS || !existsSync(marker)) return
        watcher.close()
        setTimeout(() => child.kill('SIGKILL'), delay)
      })
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
        child.on('close', (...ended) => resolve(ended))
      })
      watcher.close()
      if (signal !== null) kills++
      const isBegun = existsSync(marker)
      if (isBegun) {
        const start = await runCommand(['start', '--dev', '--home', folder])
        expect(start.code).toBe(78)
        expect(start.stderr).toContain('is not finished')
        expect(start.stderr).toContain('run `lockstep rollback` again')
        refusals++
      }
      isDone = code === 0
    }
    expect(await answersOf(folder, TRANSACTIONS)).toEqual(answers)
    removeHome(folder)
  }
  expect(refusals).toBeGreaterThan(0)
}, 300_000)
