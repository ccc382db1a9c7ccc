import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, encodeAbiParameters, formatEther, http, parseEther } from 'viem'
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

const PASSPHRASE = { LOCKSTEP_KEYS_PASSWORD: 'a passphrase' }
const [ALICE, BOB] = DEV_ACCOUNTS as readonly [DevAccount, DevAccount]
const NOBODY: Hex = `0x${'77'.repeat(20)}`

/** Creation code that deploys its argument, a word, as the code of the contract. */
const KEEPER = '6020600a5f3960205ff3'
/** Creation code that reverts with Error("no"). */
const REVERTER = `6064600a5f3960645ffd08c379a0${encodeAbiParameters([{ type: 'string' }], ['no']).slice(2)}`

let home: string
let node: Daemon
let client: ReturnType<typeof createPublicClient>

beforeAll(async () => {
  home = makeHome()
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

const tx = (...args: string[]) => runCommand(['tx', ...args, '--home', home], PASSPHRASE)

describe('tx send', () => {
  test('sends a transaction, waits for its block and reports it', async () => {
    const { code, stdout, stderr } = await tx('send', 'alice', NOBODY, '1.5ether')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await client.getBalance({ address: NOBODY })).toBe(parseEther('1.5'))
    const [, hash] = /^Transaction {2}(0x[0-9a-f]{64})\n/.exec(stdout) ?? []
    const receipt = await client.getTransactionReceipt({ hash: hash as Hex })
    const fee = receipt.gasUsed * receipt.effectiveGasPrice
    expect(stdout).toContain(`\nBlock        ${receipt.blockNumber}\nStatus       success\n`)
    expect(stdout).toContain(`\nGas used     21000\nFee          ${formatEther(fee)} ether\n`)
    expect(receipt.type).toBe('eip1559')
  })

  test('--json sends to a named key, from an address, with chosen data, fees and gas', async () => {
    const fees = ['--gas-price', '7gwei', '--gas', '50000', '--data', '0xc0ffee']
    const { code, stdout } = await tx('send', ALICE.address, 'bob', '5', ...fees, '--json')
    expect(code).toBe(0)
    const outcome = JSON.parse(stdout)
    expect(outcome).toMatchObject({ status: 'success' })
    const sent = await client.getTransaction({ hash: outcome.hash })
    expect(sent).toMatchObject({
      type: 'legacy',
      gas: 50_000n,
      gasPrice: 7_000_000_000n,
      input: '0xc0ffee',
      value: 5n,
      to: BOB.address.toLowerCase(),
    })
    expect(outcome.fee).toBe(`${BigInt(outcome.gasUsed) * 7_000_000_000n}`)
    expect(outcome.block).toBe(`${sent.blockNumber}`)
  })

  test('--dry-run shows the transaction, asks for no passphrase and sends nothing', async () => {
    const nonce = await client.getTransactionCount({ address: BOB.address })
    const flags = ['--dry-run', '--max-fee-per-gas', '9gwei', '--max-priority-fee-per-gas', '2gwei']
    const args = ['send', 'bob', NOBODY, '1gwei', ...flags, '--nonce', '12', '--json']
    const { code, stdout, stderr } = await runCommand(['tx', ...args, '--home', home])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      from: BOB.address,
      to: NOBODY,
      value: '1000000000',
      data: '0x',
      chainId: '31337',
      nonce: '12',
      gas: '21000',
      maxFeePerGas: '9000000000',
      maxPriorityFeePerGas: '2000000000',
      maxFee: '189000000000000',
    })
    const text = await tx('send', 'bob', NOBODY, '1gwei', '--dry-run')
    expect(text.stdout).toContain('value                 0.000000001 ether\n')
    expect(await client.getTransactionCount({ address: BOB.address })).toBe(nonce)
  })

  test('--no-wait prints the hash at once, and a nonce gap exits with 75', async () => {
    const nonce = await client.getTransactionCount({ address: BOB.address })
    const later = ['send', 'bob', NOBODY, '1', '--nonce', `${nonce + 1}`]
    const waits = await tx(...later, '--timeout', '0.2')
    expect(waits.code).toBe(75)
    const [, hash] =
      /^Error: transaction (0x[0-9a-f]{64}) is in no block after 0.2 s\n/.exec(waits.stderr) ?? []
    const { code, stdout } = await tx(
      'send',
      'bob',
      NOBODY,
      '1',
      '--nonce',
      `${nonce}`,
      '--no-wait',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^0x[0-9a-f]{64}\n$/)
    await client.waitForTransactionReceipt({ hash: hash as Hex, pollingInterval: 50 })
  })

  test('of more than the balance exits with 65 and the message of the node', async () => {
    const { code, stdout, stderr } = await tx('send', 'bob', NOBODY, '1000000ether')
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toMatch(/^Error: eth_estimateGas was refused: .*insufficient funds.*\n/)
  })

  test.each([
    [['alice', NOBODY, '1dollar'], 64, '<amount>: "1dollar" is not an amount'],
    [['alice', NOBODY, '0.5wei'], 64, '<amount>: "0.5wei" is not an amount'],
    [['alice', NOBODY, '1', '--data', 'zz'], 64, '--data: "zz" is not hex'],
    [['alice', NOBODY, '1', '--gas', 'x'], 64, "option '--gas <GAS>' argument 'x' is invalid"],
    [['alice', NOBODY, '1', '--timeout', '-1'], 64, "argument '-1' is invalid"],
    [['alice', NOBODY, '1', '--gas-price', 'x'], 64, "argument 'x' is invalid"],
    [
      ['alice', NOBODY, '1', '--gas-price', '1gwei', '--max-fee-per-gas', '1gwei'],
      64,
      '--gas-price excludes the two fees of EIP-1559',
    ],
    [['carol', NOBODY, '1'], 69, 'has no key carol'],
    [['alice', 'carol', '1'], 69, 'has no key carol'],
    [['alice', NOBODY, '1', '--node', 'ftp://x'], 64, '--node: "ftp://x" is not an http address'],
    [['alice', NOBODY, '1', '--node', 'http://127.0.0.1:1'], 69, 'no node answers at'],
    [['alice', NOBODY, '1', '--password-file', '/dev/null'], 77, 'could not decrypt key'],
  ])('refuses %j', async (args, code, message) => {
    const refused = await tx('send', ...args)
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code, stdout: '' })
    expect(refused.stderr).toContain(message)
  })
})

describe('tx deploy', () => {
  const file = (name: string, text: string): string => {
    const path = join(home, name)
    writeFileSync(path, text)
    return path
  }

  test.each([
    ['a.bin', `${KEEPER}\n`],
    ['hardhat.json', JSON.stringify({ bytecode: `0x${KEEPER}` })],
    ['foundry.json', JSON.stringify({ bytecode: { object: `0x${KEEPER}` } })],
    ['solc.json', JSON.stringify({ evm: { bytecode: { object: KEEPER } } })],
    ['combined.json', JSON.stringify({ bin: KEEPER })],
  ])('creates the contract of %s with its arguments and value', async (name, text) => {
    const word = encodeAbiParameters([{ type: 'uint256' }], [0x1234n])
    const flags = ['--args', word, '--value', '3gwei', '--json']
    const { code, stdout, stderr } = await tx('deploy', 'alice', file(name, text), ...flags)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { contract } = JSON.parse(stdout)
    expect(await client.getCode({ address: contract })).toBe(word)
    expect(await client.getBalance({ address: contract })).toBe(3_000_000_000n)
  })

  test('of a constructor that reverts prints the reason and sends nothing, and with --gas it is sent and fails', async () => {
    const path = file('reverter.bin', REVERTER)
    const estimated = await tx('deploy', 'alice', path)
    expect(estimated).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Error: the transaction would fail: execution reverted: no\n' +
        'Hint: nothing was sent; pass --gas to send it anyway\n',
    })
    const sent = await tx('deploy', 'alice', path, '--gas', '100000')
    expect(sent.code).toBe(1)
    expect(sent.stdout).toContain('\nStatus       failed\n')
    expect(sent.stdout).toContain('\nReason       execution reverted: no\n')
    expect(sent.stderr).toMatch(
      /^Error: the transaction failed: execution reverted: no\nHint: open http:\/\/127\.0\.0\.1:\d+\/explorer\/tx\/0x[0-9a-f]{64}, or record/,
    )
  })

  test.each([
    ['none.bin', undefined, '<file>: cannot read'],
    ['empty.bin', '', 'contains no creation code'],
    ['abi.json', '{"abi":[]}', 'contains no creation code'],
    ['broken.json', '{', '<file>: cannot read'],
    ['linked.bin', '6001__$1234$__', 'has unlinked libraries'],
  ])('refuses %s', async (name, text, message) => {
    const path = text === undefined ? join(home, name) : file(name, text)
    const { code, stderr } = await tx('deploy', 'alice', path)
    expect(code).toBe(64)
    expect(stderr).toContain(message)
  })
})
