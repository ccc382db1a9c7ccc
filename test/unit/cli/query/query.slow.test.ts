import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS, type DevAccount } from '../../../../host/base/dev-accounts.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { until } from '../../../support/until.ts'

const PASSPHRASE = { LOCKSTEP_KEYS_PASSWORD: 'a passphrase' }
const [ALICE, BOB] = DEV_ACCOUNTS as readonly [DevAccount, DevAccount]
const STAKING = '0x0000000000000000000000000000000000001005'
const UNIT = 10n ** 12n

let home: string
let node: Daemon
let client: ReturnType<typeof createPublicClient>

const run = (...args: string[]) => runCommand([...args, '--home', home], PASSPHRASE)

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

beforeAll(async () => {
  home = makeHome()
  await runCommand(['init', 'first', '--chain-id', 'dev', '--home', home])
  const path = join(home, 'config/genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8'))
  genesis.app_state.evm.staking.unbonding_time = '2s'
  genesis.app_state.evm.staking.downtime = {
    signed_blocks_window: '4',
    min_signed_per_window: '0.75',
    downtime_jail_duration: '600s',
  }
  writeFileSync(path, JSON.stringify(genesis))
  node = await startDaemon({ home })
  client = createPublicClient({ transport: http(node.ready.rpc) })
  const flags = ['--light-kdf', '--home', home]
  await runCommand(['keys', 'import', 'alice', '-', ...flags], PASSPHRASE, ALICE.privateKey)
  await runCommand(['keys', 'import', 'bob', '-', ...flags], PASSPHRASE, BOB.privateKey)
})
afterAll(async () => {
  await node.stop()
  removeHome(home)
})

describe('query and tx stake', () => {
  test('the genesis validator has bonded its power and is found by the key that show-validator prints', async () => {
    const { stdout } = await run('consensus', 'show-validator')
    const validator = await json('query', 'staking', 'validator', stdout.trim())
    expect(validator).toMatchObject({
      operator_address: ALICE.address,
      consensus_pubkey: JSON.parse(stdout),
      jailed: false,
      status: 'BOND_STATUS_BONDED',
      power: '10',
      tokens: '10000000',
      description: { moniker: 'first' },
      commission: { commission_rates: { rate: '0.100000000000000000' } },
    })
    const { key } = JSON.parse(stdout)
    const hex = Buffer.from(key, 'base64').toString('hex')
    for (const word of [key, hex, ALICE.address, 'alice']) {
      expect(await json('query', 'staking', 'validator', word)).toEqual(validator)
    }
    expect(await json('query', 'staking', 'validators')).toEqual([validator])
    const text = await run('query', 'staking', 'validators')
    expect(text.stdout).toBe(`${ALICE.address}  bonded            10  first\n`)
    const shown = await run('query', 'staking', 'validator', 'alice', '--height', '0')
    expect(shown.stdout).toContain('Tokens       10 ether\n')
    expect(await client.getBalance({ address: STAKING })).toBe(10n ** 19n)
  })

  test('the only validator misses no block, and unjail has nothing to do', async () => {
    const info = await json('query', 'staking', 'signing-info', 'alice')
    expect(info).toEqual({
      address: expect.stringMatching(/^[0-9A-F]{40}$/),
      start_height: '2',
      jailed_until: '1970-01-01T00:00:00Z',
      tombstoned: false,
      missed_blocks_counter: '0',
      signed_blocks_window: '4',
    })
    const { stdout } = await run('query', 'staking', 'signing-info', 'alice')
    expect(stdout).toContain('Missed         0 of the last 4 blocks, at most 1\n')
    const { code, stderr } = await run('tx', 'stake', 'unjail', 'alice')
    expect([code === 0, stderr]).toEqual([
      false,
      expect.stringContaining('the validator is not jailed for downtime'),
    ])
  })

  test('a delegation is bonded and paid out after the unbonding time, and every tracer shows the callee', async () => {
    const before = await client.getBalance({ address: BOB.address })
    const supply = await json('query', 'bank', 'supply')
    const sent = await json('tx', 'stake', 'delegate', 'bob', ALICE.address, '3ether')
    expect(sent.status).toBe('success')
    expect(await json('query', 'staking', 'delegation', 'bob', 'alice')).toEqual({
      delegation: {
        delegator_address: BOB.address,
        validator_address: ALICE.address,
        shares: '3000000',
      },
      balance: { denom: 'usei', amount: '3000000' },
    })
    const earlier = ['--height', `${BigInt(sent.block) - 1n}`]
    const none = await run('query', 'staking', 'delegation', 'bob', 'alice', ...earlier)
    expect(none.code).toBe(69)
    expect(none.stderr).toContain('Error: bob has delegated nothing to alice\n')

    const back = await json('tx', 'stake', 'undelegate', 'bob', 'alice', '2ether')
    const at = ['--height', back.block]
    const [entry] = await json('query', 'staking', 'unbonding', 'bob', ...at)
    expect(entry).toMatchObject({ creation_height: back.block, balance: '2000000' })
    expect(await json('query', 'staking', 'pool', ...at)).toEqual({
      bonded_tokens: '11000000',
      not_bonded_tokens: '2000000',
    })
    const fees = BigInt(sent.fee) + BigInt(back.fee)
    const unit = 10n ** 18n
    await until(
      async () => (await client.getBalance({ address: BOB.address })) === before - fees - unit,
    )
    expect(await json('query', 'staking', 'unbonding', 'bob')).toEqual([])
    // Fees go to the fee collector, so that nothing is burnt.
    expect(await json('query', 'bank', 'supply')).toEqual(supply)

    const trace = (options: object) =>
      client.request({ method: 'debug_traceTransaction', params: [sent.hash, options] } as never)
    expect(await trace({ tracer: 'callTracer' })).toMatchObject({ to: STAKING, type: 'CALL' })
    expect(await trace({ tracer: 'flatCallTracer' })).toMatchObject([{ action: { to: STAKING } }])
    expect(await trace({ tracer: 'prestateTracer' })).toHaveProperty(STAKING)
    expect(Object.values((await trace({ tracer: '4byteTracer' })) as object)).toEqual([1])
    expect(await trace({})).toMatchObject({ failed: false, structLogs: [] })
    const bundles = join(home, 'bundles')
    const recorded = ['record', sent.hash, '--url', node.ready.rpc, '--out', bundles]
    expect((await runCommand(recorded)).code).toBe(0)
    expect((await runCommand(['replay', bundles])).stdout).toMatch(/^same /)
    // The block that paid out begins with the protocol's call, also in replays.
    const height = await paidHeight(BOB.address, before - fees - unit)
    const block = `0x${height.toString(16)}`
    const replayed = await client.request({
      method: 'debug_traceBlockByNumber',
      params: [block, { tracer: 'callTracer' }],
    } as never)
    expect(replayed).toEqual([])
  })

  async function paidHeight(address: Hex, balance: bigint): Promise<bigint> {
    let height = await client.getBlockNumber({ cacheTime: 0 })
    while ((await client.getBalance({ address, blockNumber: height - 1n })) === balance) height--
    return height
  }

  test('an operator edits its validator and redelegates to it', async () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    const flags = ['--moniker', 'second', '--pubkey', key, '--commission-rate', '0.05']
    const limits = ['--commission-max-rate', '0.5', '--commission-max-change-rate', '0.02']
    const least = ['--min-self-delegation', '1ether']
    await json('tx', 'stake', 'create-validator', 'bob', '2ether', ...flags, ...limits, ...least)
    await json('tx', 'stake', 'edit-validator', 'bob', '--moniker', 'other')
    await json('tx', 'stake', 'redelegate', 'alice', 'alice', 'bob', '4ether')
    const validator = await json('query', 'staking', 'validator', key)
    expect(validator).toMatchObject({
      operator_address: BOB.address,
      power: '6',
      tokens: '6000000',
      min_self_delegation: '1000000',
      description: { moniker: 'other' },
      commission: {
        commission_rates: {
          rate: '0.050000000000000000',
          max_rate: '0.500000000000000000',
          max_change_rate: '0.020000000000000000',
        },
      },
    })
    const soon = await run('tx', 'stake', 'edit-validator', 'bob', '--commission-rate', '0.06')
    expect(soon.code).toBe(1)
    expect(soon.stderr).toContain(
      'the transaction would fail: execution reverted: staking: the commission was changed less than a day ago',
    )
    const more = await run(
      'tx',
      'stake',
      'edit-validator',
      'bob',
      '--min-self-delegation',
      '9ether',
    )
    expect(more.stderr).toContain(
      'staking: the operator has delegated less than the minimum self-delegation',
    )
  })

  test.each([
    [['tx', 'stake', 'delegate', 'bob', 'alice', '1gwei'], 64, 'is not a multiple of'],
    [['tx', 'stake', 'delegate', 'bob', 'carol', '1ether'], 69, 'has no key carol'],
    [
      ['tx', 'stake', 'create-validator', 'bob', '1ether', '--moniker', 'x', '--pubkey', 'zz'],
      64,
      '--pubkey: "zz" is not a consensus key',
    ],
    [['query', 'staking', 'validator', BOB.address.replace('7', '8')], 69, 'no validator has'],
    [['query', 'evm', 'account', 'alice', '--height', '9999999'], 69, 'eth_getBalance was refused'],
    [['query', 'evm', 'account', 'alice', '--height', 'x'], 64, 'it must be the height of a block'],
    [['query', 'evm', 'storage', 'alice', 'x'], 64, '<slot>: "x" is not a slot'],
    [['query', 'evm', 'tx', '0x12'], 64, '<hash>: "0x12" is not a hash'],
    [['query', 'evm', 'receipt', `0x${'12'.repeat(32)}`], 69, 'the node has no receipt'],
    [['query', 'bank', 'supply', 'none'], 69, 'eth_call was refused: execution reverted: '],
    [['query', 'bank', 'balance', 'alice', '--node', 'http://127.0.0.1:1'], 69, 'no node answers'],
  ])('%j is refused', async (args, code, message) => {
    const refused = await run(...args)
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code, stdout: '' })
    expect(refused.stderr).toContain(message)
  })
})

describe('query bank and query evm', () => {
  const address = `0x${'99'.repeat(20)}`

  test('print balances, also at an earlier height, and denominations', async () => {
    const sent = await json('tx', 'send', 'alice', address, '2.5ether')
    const balance = ['query', 'bank', 'balance', address]
    expect(await json(...balance)).toEqual({ address, wei: '2500000000000000000' })
    expect((await run(...balance)).stdout).toBe(`address  ${address}\nbalance  2.5 ether\n`)
    expect(await json(...balance, '--denom', 'usei')).toEqual({
      address,
      denom: 'usei',
      amount: `${(25n * 10n ** 17n) / UNIT}`,
    })
    const earlier = ['--height', `${BigInt(sent.block) - 1n}`]
    expect(await json(...balance, ...earlier)).toEqual({ address, wei: '0' })
    expect(await json('query', 'bank', 'denom')).toEqual({
      denom: 'usei',
      name: 'Sei',
      symbol: 'SEI',
      decimals: 6,
    })
  })

  test('print accounts, code, slots, transactions and receipts', async () => {
    expect(await json('query', 'evm', 'account', STAKING)).toMatchObject({
      address: STAKING,
      nonce: '0',
      codeSize: 1,
    })
    expect((await run('query', 'evm', 'code', STAKING)).stdout).toBe('0xfe\n')
    expect(await json('query', 'evm', 'code', 'alice')).toEqual({ code: '0x' })
    // The slot of the unbonding time, in seconds.
    const slot = `0x0104${'00'.repeat(30)}`
    const value = `0x${'2'.padStart(64, '0')}`
    expect((await run('query', 'evm', 'storage', STAKING, slot)).stdout).toBe(`${value}\n`)
    expect(await json('query', 'evm', 'storage', 'alice', '0')).toEqual({
      value: `0x${'0'.repeat(64)}`,
    })
    const { hash } = await json('tx', 'send', 'alice', address, '1')
    expect(await json('query', 'evm', 'tx', hash)).toMatchObject({ hash, value: '0x1' })
    expect(await json('query', 'evm', 'receipt', hash)).toMatchObject({ status: '0x1' })
    expect((await run('query', 'evm', 'receipt', hash)).stdout).toMatch(/^status +0x1$/m)
  })
})
