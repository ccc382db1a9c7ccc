import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { findPeerProject, runPeerTool } from './peer/peer-project.ts'

const project = findPeerProject('foundry', '.bin/forge')
const compiler = findPeerProject('hardhat', 'solc')
const absent = project.absent ?? compiler.absent
if (absent !== undefined) console.log(`Foundry is not run: ${absent}`)

/** The part of forge's `run-latest.json` that is read. */
interface Broadcast {
  readonly transactions: readonly { readonly hash: Hex; readonly contractAddress: Hex }[]
  readonly receipts: readonly { readonly status: Hex; readonly transactionHash: Hex }[]
}

describe.skipIf(absent !== undefined)('Foundry', () => {
  const home = makeHome()
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-foundry-'))
  let daemon: Daemon
  let url: string
  let variables: Record<string, string>
  let broadcast: Broadcast

  /** Returns the output of a tool, which must succeed. */
  async function run(...command: string[]): Promise<string> {
    const [tool, ...args] = command
    const program = join(project.folder, 'node_modules/.bin', tool as string)
    const { code, output } = await runPeerTool(project, [program, ...args], variables)
    expect(code, `${command.join(' ')}\n${output}`).toBe(0)
    return output
  }

  const cast = (...args: string[]) => run('cast', ...args, '--rpc-url', url)
  const height = async () => Number(await cast('block-number'))
  const rpc = async (method: string, ...params: string[]) =>
    JSON.parse(await cast('rpc', method, ...params))

  beforeAll(async () => {
    mkdirSync(join(folder, 'home'))
    daemon = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
    url = daemon.ready.rpc
    variables = {
      HOME: join(folder, 'home'),
      FOUNDRY_OUT: join(folder, 'out'),
      FOUNDRY_CACHE_PATH: join(folder, 'cache'),
      FOUNDRY_BROADCAST: join(folder, 'broadcast'),
      NODE_URL: url,
    }
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
    rmSync(folder, { recursive: true, force: true })
  })

  test('sends the transactions of a script with forge script --broadcast', async () => {
    const key = Buffer.from(devAccount(0).getHdKey().privateKey as Uint8Array).toString('hex')
    const output = await run(
      ...['forge', 'script', 'script/Deploy.s.sol', '--use', join(project.folder, 'solc.mjs')],
      ...['--rpc-url', url, '--broadcast', '--private-key', `0x${key}`],
    )
    expect(output).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
    const path = join(folder, `broadcast/Deploy.s.sol/${daemon.ready.chainId}/run-latest.json`)
    broadcast = JSON.parse(readFileSync(path, 'utf8'))
    expect(broadcast.receipts.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x1'])
  })

  test('lets the node sign with forge script --broadcast --unlocked', async () => {
    const output = await run(
      ...['forge', 'script', 'script/Deploy.s.sol', '--use', join(project.folder, 'solc.mjs')],
      ...['--rpc-url', url, '--broadcast', '--unlocked', '--sender', devAccount(1).address],
    )
    expect(output).toContain('ONCHAIN EXECUTION COMPLETE & SUCCESSFUL')
    expect(await call(url, 'eth_getTransactionCount', [devAccount(1).address, 'latest'])).toBe(
      '0x3',
    )
  })

  test('runs forge test --fork-url on a fork of the node', async () => {
    variables.COUNTER = broadcast.transactions[0]?.contractAddress as string
    variables.BEFORE = '0'
    const output = await run(
      ...['forge', 'test', '--use', join(project.folder, 'solc.mjs'), '--fork-url', url],
    )
    expect(output).toContain('6 tests passed, 0 failed')
  })

  test('replays a transaction with cast run', async () => {
    const hash = broadcast.transactions[2]?.hash as string
    const receipt = await call<{ gasUsed: Hex }>(url, 'eth_getTransactionReceipt', [hash])
    const output = await cast('run', hash)
    expect(output).toContain('Transaction successfully executed.')
    expect(output).toContain(`Gas used: ${Number(receipt.gasUsed)}`)
  })

  test('sends, calls and reads with cast', async () => {
    const [owner, friend] = [devAccount(2).address, devAccount(3).address]
    const counter = broadcast.transactions[0]?.contractAddress as string
    await cast('send', counter, 'increment()', '--unlocked', '--from', owner)
    expect((await cast('call', counter, 'number()(uint256)')).trim()).toBe('43')
    await cast('send', friend, '--value', '1ether', '--unlocked', '--from', owner)
    expect((await cast('balance', friend)).trim()).toBe(`${10_001n * 10n ** 18n}`)
    expect((await cast('chain-id')).trim()).toBe(`${daemon.ready.chainId}`)
    expect((await cast('block', 'latest', '--field', 'number')).trim()).toBe(`${await height()}`)
  })

  test('calls the helper methods with cast rpc', async () => {
    const stranger = '0x00000000000000000000000000000000DeaDBeef'
    const before = await height()
    const id = await rpc('anvil_snapshot')
    expect(await rpc('anvil_setBalance', stranger, '0xde0b6b3a7640000')).toBeNull()
    expect((await cast('balance', stranger)).trim()).toBe(`${10n ** 18n}`)
    await rpc('anvil_impersonateAccount', stranger)
    await cast('send', devAccount(0).address, '--value', '5', '--unlocked', '--from', stranger)
    expect((await cast('nonce', stranger)).trim()).toBe('1')
    await rpc('anvil_mine', '5')
    expect(await height()).toBe(before + 6)
    expect(await rpc('anvil_revert', id)).toBe(true)
    expect(await height()).toBe(before)
    expect((await cast('nonce', stranger)).trim()).toBe('0')
    expect(await rpc('anvil_nodeInfo')).toMatchObject({
      currentBlockNumber: `0x${before.toString(16)}`,
      environment: { chainId: daemon.ready.chainId },
    })
  })
})
