import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ANVIL_FLAGS, anvilFlagNames } from '../../../../host/cli/start/anvil-flags.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'
import { MAIN } from '../../../support/node/main-file.ts'
import { ANVIL } from '../../../support/peer/anvil.ts'
import { outputOf, type Program, runProgram, startProgram } from '../../../support/program.ts'

const folder = makeHome()
const running: Program[] = []

beforeEach(() => void mkdirSync(folder, { recursive: true }))

afterEach(async () => {
  for (const program of running.splice(0)) await program.stop()
  removeHome(folder)
})

async function startAnvilHere(...args: string[]): Promise<{ url: string; program: Program }> {
  const program = startProgram([process.execPath, MAIN, 'anvil', '--port', '0', ...args])
  running.push(program)
  const port = await program.says(
    (output) => /^Listening on 127\.0\.0\.1:(\d+)$/m.exec(output)?.[1],
  )
  return { url: `http://127.0.0.1:${port}`, program }
}

async function call(url: string, method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  return (await answer.json()).result
}

test('--config-out replaces a file with one that only its owner reads, and refuses what is no file', async () => {
  const out = join(folder, 'existing.json')
  writeFileSync(out, 'old', { mode: 0o644 })
  await startAnvilHere('--config-out', out)
  expect(JSON.parse(readFileSync(out, 'utf8')).available_accounts).toHaveLength(10)
  expect(statSync(out).mode & 0o777).toBe(0o600)
  for (const [path, rule] of [
    [folder, 'it is not a file'],
    [join(folder, 'none', 'accounts.json'), 'its folder does not exist'],
  ] as const) {
    const program = [process.execPath, MAIN, 'anvil', '--port', '0', '--config-out', path]
    const { code, stderr } = await runProgram(program)
    expect(code).toBe(64)
    expect(stderr).toContain(`Error: --config-out ${path}: ${rule}\n`)
  }
}, 60_000)

test('only errors go to stderr, which programs that start anvil take for a failure', async () => {
  const program = startProgram([process.execPath, MAIN, 'anvil', '--port', '0'])
  running.push(program)
  let stderr = ''
  program.process.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  await program.says((output) => /^Listening on /m.exec(output)?.[0])
  expect(program.output()).toContain(' INF starting ')
  expect(await program.stop()).toBe(0)
  expect(stderr).toBe('')
}, 60_000)

test('two nodes run beside each other, each in a home that is removed at its end', async () => {
  const out = join(folder, 'accounts.json')
  const state = join(folder, 'state.json')
  const path = "m/44'/60'/7'/0/"
  const flags = ['--accounts', '1', '--gas-limit', '30000000', '--config-out', out]
  const [one, two] = await Promise.all([
    startAnvilHere(...flags, '--no-mining', '--auto-impersonate', '--dump-state', state),
    startAnvilHere('--chain-id', '1', '--derivation-path', path, '--mnemonic-random'),
  ])
  expect(await call(one.url, 'eth_chainId')).toBe('0x7a69')
  expect(await call(two.url, 'eth_chainId')).toBe('0x1')
  const {
    available_accounts: accounts,
    private_keys: keys,
    wallet,
  } = JSON.parse(readFileSync(out, 'utf8'))
  expect(await call(one.url, 'eth_accounts')).toEqual(accounts)
  expect(keys[0]).toMatch(/^0xac0974/)
  expect(wallet.derivation_path).toBe("m/44'/60'/0'/0/")
  expect(statSync(out).mode & 0o777).toBe(0o600)
  expect(two.program.output()).toContain(`Derivation path:   ${path}\n`)
  expect(await call(two.url, 'eth_accounts')).not.toContain(accounts[0])

  const from = '0x00000000000000000000000000000000000000aa'
  await call(one.url, 'anvil_setBalance', [from, '0xde0b6b3a7640000'])
  const hash = await call(one.url, 'eth_sendTransaction', [{ from, to: accounts[0], value: '0x1' }])
  expect(await call(one.url, 'eth_blockNumber')).toBe('0x0')
  await call(one.url, 'evm_mine')
  const receipt = await call(one.url, 'eth_getTransactionReceipt', [hash])
  expect(receipt.status).toBe('0x1')
  const block = await call(one.url, 'eth_getBlockByNumber', ['latest', false])
  expect(block.gasLimit).toBe('0x1c9c380')

  const [, home = ''] = /home="?([^"\n]+)/.exec(one.program.output()) ?? []
  expect(home).toMatch(/lockstep-dev-/)
  expect(existsSync(home)).toBe(true)
  expect(await one.program.stop()).toBe(0)
  expect(existsSync(home)).toBe(false)
  expect(readFileSync(state, 'utf8')).toContain(from)

  const next = await startAnvilHere('--load-state', state)
  expect(await call(next.url, 'eth_getBalance', [from, 'latest'])).not.toBe('0x0')
}, 120_000)

test.skipIf(!existsSync(ANVIL))(
  'the table has every flag of the installed anvil, with its aliases',
  async () => {
    const help = await outputOf([ANVIL, '--help'])
    const named = [...help.matchAll(/^ {2,6}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name)
    const aliases = [...help.matchAll(/\[aliases: --([\w-]+)\]/g)].map(([, name]) => name)
    const expected = new Set([...named, ...aliases])
    for (const own of ['help', 'version']) expected.delete(own)
    // anvil hides `--silent`, the older name of `--quiet`.
    const table = new Set(ANVIL_FLAGS.flatMap(anvilFlagNames))
    table.delete('silent')
    expect([...table].sort()).toEqual([...expected].sort())
  },
)
