import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { genesisProblems } from '../../../../host/evm/chain-types/genesis-problems.ts'
import { runCommandHere } from '../../../support/node/command-here.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../../../support/node/daemon.ts'
import { call } from '../../../support/node/json-rpc.ts'
import { until } from '../../../support/until.ts'

const ADDRESS = '0x1111111111111111111111111111111111111111'

let home: string
let genesis: string
let next: string[]
beforeAll(async () => {
  home = makeHome()
  genesis = join(home, 'config/genesis.json')
  const { stderr } = await runCommandHere(['init', '--chain-id', '1329', '--home', home])
  next = stderr.split('\n').filter((line) => line.startsWith('  lockstep '))
})
afterAll(() => removeHome(home))

/** Runs a command line that the program suggests, split as a shell does. */
async function follow(line: string, ...more: readonly string[]) {
  const words = Array.from(
    line.trim().matchAll(/'([^']*)'|(\S+)/g),
    ([, quoted, word]) => quoted ?? word ?? '',
  )
  expect(words[0]).toBe('lockstep')
  return runCommandHere([...words.slice(1), ...more])
}

describe('genesis validate', () => {
  test('accepts the files that init writes', async () => {
    const { code, stdout } = await runCommandHere(['genesis', 'validate', '--home', home])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${genesis} is right\n` })
  })

  test('reports every problem in one run', async () => {
    const document = JSON.parse(readFileSync(genesis, 'utf8'))
    document.genesis_time = 'yesterday'
    document.validators[0].power = '0'
    document.app_state.evm.revision = 'Shangrila'
    document.app_state.evm.max_gas = '1'
    document.app_state.evm.fee_market.max_upward = '2'
    document.app_state.evm.alloc = { [ADDRESS]: { balance: '-1', sold: true }, '0x12': {} }
    document.app_state.evm.blobs = true
    const file = join(home, 'broken.json')
    writeFileSync(file, JSON.stringify(document))
    const { code, stdout, stderr } = await runCommandHere(['genesis', 'validate', file, '--json'])
    expect(code).toBe(78)
    const problems: string[] = JSON.parse(stdout)
    for (const part of [
      'genesis_time',
      'validators[0].power',
      'app_state.evm.revision',
      'app_state.evm.max_gas',
      'app_state.evm.fee_market.max_upward',
      `app_state.evm.alloc["${ADDRESS}"].sold`,
      `app_state.evm.alloc["${ADDRESS}"].balance`,
      'app_state.evm.alloc["0x12"]',
      'app_state.evm.blobs',
    ]) {
      expect(
        problems.filter((problem) => problem.startsWith(`genesis.json: ${part} `)),
      ).toHaveLength(1)
    }
    expect(problems).toHaveLength(9)
    expect(stderr).toContain(`${file} has 9 problems\n`)
  })

  test.each(['', 'null', '{', '[]', '{"validators":3}', '{"app_state":{"evm":[]}}'])(
    'reports problems for %j',
    (text) => {
      expect(genesisProblems(text).length).toBeGreaterThan(0)
    },
  )
})

test('the commands that init suggests create a chain with a funded account', async () => {
  const [addKey = '', addAccount = '', start = ''] = next
  const password = join(home, 'password')
  writeFileSync(password, 'correct horse\n', { mode: 0o600 })
  const key = await follow(addKey, '--password-file', password, '--light-kdf')
  expect(key.code).toBe(0)
  const address = /0x[0-9a-fA-F]{40}/.exec(key.stdout)?.[0] ?? ''
  const added = await follow(addAccount)
  expect(added).toEqual({ code: 0, stdout: `${address} has 1000 ether at genesis\n`, stderr: '' })
  const other = await runCommandHere(['genesis', 'add-account', ADDRESS, '5gwei', '--home', home])
  expect(other.stdout).toBe(`${ADDRESS} has 0.000000005 ether at genesis\n`)

  expect(start.trim()).toBe(`lockstep start --home '${home}'`)
  const daemon = await startDaemon({ home, dev: false })
  try {
    const balance = await call<Hex>(daemon.ready.rpc, 'eth_getBalance', [address, 'latest'])
    expect(BigInt(balance)).toBe(1000n * 10n ** 18n)
    await until(async () => BigInt(await call<Hex>(daemon.ready.rpc, 'eth_blockNumber', [])) > 0n)
  } finally {
    await daemon.stop()
  }
  const late = await runCommandHere([
    'genesis',
    'add-account',
    `0x${'2'.repeat(40)}`,
    '1ether',
    '--home',
    home,
  ])
  expect(late).toEqual({
    code: 64,
    stdout: '',
    stderr:
      `Error: the chain of ${home} has begun\n` +
      'Hint: send tokens to the account with `lockstep tx send`, or start another chain in another --home\n',
  })
})

test('genesis export writes the same genesis to standard output and to a file', async () => {
  const printed = await runCommand(['genesis', 'export', '--home', home])
  expect(printed.stderr).toMatch(/^The chain continues at height \d+ under CometBFT; validators: /)
  const file = join(home, 'continued.json')
  const written = await runCommand(['genesis', 'export', '--home', home, '--out', file])
  expect(written).toEqual({ ...printed, stdout: '' })
  expect(readFileSync(file, 'utf8')).toBe(printed.stdout)
  expect(JSON.parse(printed.stdout).initial_height).toBe(/height (\d+)/.exec(printed.stderr)?.[1])
})

test.each([
  [['0x12', '1ether'], 'account: "0x12" is not an address'],
  [[ADDRESS, '1eth'], 'amount: "1eth" is not an amount'],
  [[ADDRESS, '0'], 'amount: must be above zero'],
])('genesis add-account refuses %j', async (args, message) => {
  const { code, stderr } = await runCommandHere(['genesis', 'add-account', ...args, '--home', home])
  expect(code).toBe(64)
  expect(stderr).toContain(`Error: ${message}\n`)
})
