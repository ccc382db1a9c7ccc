import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import { readAction, readRawTransaction } from '../../../../host/cli/wallet/tested-action.ts'
import { runCommand } from '../../../support/node/daemon.ts'
import { ALICE, MALLORY } from '../../../support/wallet/policy-case.ts'

const ABI = parseAbi(['function transfer(address to, uint256 amount)'])
const POLICY = {
  id: 'pol1',
  version: '1.0',
  name: 'shop',
  chain_type: 'ethereum',
  rules: [
    {
      id: 'small',
      name: 'small sums',
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [
        { field_source: 'ethereum_transaction', field: 'to', operator: 'in', value: [ALICE] },
        {
          field_source: 'spending_window',
          field: 'native',
          operator: 'lte',
          value: '100',
          period: 60,
        },
      ],
    },
  ],
}
const action = (value: string, to = ALICE) => ({
  method: 'eth_sendTransaction',
  caip2: 'eip155:1329',
  params: { transaction: { to, value } },
})

describe('wallet policy test', () => {
  let folder: string
  const file = (name: string, content: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  let policy: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'policy-'))
    policy = file('policy.json', POLICY)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (args: readonly string[], input = '') =>
    runCommand(['wallet', 'policy', 'test', ...args], {}, input)

  test('prints which rule allows an action and what would be charged', async () => {
    const { code, stdout, stderr } = await run([policy, file('action.json', action('0x64'))])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toBe(
      `allowed: allowed by rule "small sums": ethereum_transaction.to "${ALICE}" is in ["${ALICE}"], spending_window.native "100" is lte "100"
  matches: ALLOW small of pol1
    yes  ethereum_transaction.to in ${ALICE}  (${ALICE})
    yes  spending_window.native lte 100  (100)
  charges small/native/eip155:1329 with 100
`,
    )
  })

  test('exits with 1 if the action is denied, and prints the reason as an object', async () => {
    const path = file('action.json', action('0x64'))
    const { code, stdout, stderr } = await run([policy, path, '--spent', '1', '--json'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Error: the policy denies the action\nHint: /)
    expect(JSON.parse(stdout)).toEqual({
      allowed: false,
      reason:
        'no rule allows it, rule "small sums" does not: spending_window.native "101" is not lte "100"',
      rules: [
        {
          policy: 'pol1',
          rule: 'small',
          action: 'ALLOW',
          matches: false,
          conditions: [
            {
              field: 'ethereum_transaction.to',
              operator: 'in',
              expected: [ALICE],
              actual: ALICE,
              holds: true,
            },
            {
              field: 'spending_window.native',
              operator: 'lte',
              expected: '100',
              actual: '101',
              holds: false,
            },
          ],
        },
      ],
      charges: [],
    })
  })

  test('accepts a raw transaction, and a policy from standard input', async () => {
    const raw = serializeTransaction({ chainId: 1329, to: ALICE, value: 7n, type: 'eip1559' })
    const { code, stdout } = await run(['-', raw], JSON.stringify([POLICY]))
    expect(code).toBe(0)
    expect(stdout).toContain('  charges small/native/eip155:1329 with 7\n')
  })

  test.each<readonly [string, string, string]>([
    ['{', '{}', 'Error: <policy> is not JSON\n'],
    [
      '{"version":"1.0"}',
      '{}',
      'Error: name: it is missing\nHint: write a text of 1 to 256 characters\n',
    ],
    [JSON.stringify(POLICY), '{', 'Error: <action> is not JSON\n'],
    [
      JSON.stringify(POLICY),
      '{"method":"eth_sign"}',
      'Error: method: no rule applies to "eth_sign"\n',
    ],
    [JSON.stringify(POLICY), '0x02c0', 'Error: rlp: too few elements for types.DynamicFeeTx\n'],
  ])('refuses %s with %s', async (given, asked, text) => {
    const paths = [file('given.json', given), file('asked.json', asked)]
    const { code, stdout, stderr } = await run(paths)
    expect(stderr).toContain(text)
    expect(stdout).toBe('')
    expect(code).toBeGreaterThan(1)
  })
})

describe('a raw transaction', () => {
  const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
  const data = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [MALLORY, 5n] })
  const common = { to: ALICE, value: 7n, data, nonce: 3, gas: 21000n } as const
  const listed = {
    accessList: [{ address: ALICE, storageKeys: [`0x${'01'.repeat(32)}`] }],
  } as const
  const authorization = {
    address: MALLORY,
    chainId: 1,
    nonce: 1,
    yParity: 1,
    r: `0x${'11'.repeat(32)}`,
    s: `0x${'22'.repeat(32)}`,
  } as const

  test.each<readonly [string, Parameters<typeof serializeTransaction>[0], bigint | undefined]>([
    ['legacy, of no chain', { ...common, type: 'legacy', gasPrice: 9n }, undefined],
    ['legacy', { ...common, type: 'legacy', gasPrice: 9n, chainId: 1329 }, 1329n],
    [
      'with an access list',
      { ...common, ...listed, type: 'eip2930', gasPrice: 9n, chainId: 1329 },
      1329n,
    ],
    ['with fees', { ...common, type: 'eip1559', maxFeePerGas: 9n, chainId: 1329 }, 1329n],
    [
      'with authorizations',
      {
        ...common,
        type: 'eip7702',
        maxFeePerGas: 9n,
        chainId: 1329,
        authorizationList: [authorization],
      },
      1329n,
    ],
  ])('gives the same decision unsigned and signed: %s', async (_, transaction, chainId) => {
    const read = (raw: Hex) => {
      const action = readRawTransaction(parseData(raw))
      if (!('transaction' in action)) throw new Error('no transaction')
      const {
        v,
        r,
        s,
        yParity,
        hash,
        raw: bytes,
        ...unsigned
      } = action.transaction as never as Record<string, unknown>
      return unsigned
    }
    const unsigned = read(serializeTransaction(transaction))
    expect(unsigned).toMatchObject({ chainId, nonce: 3n, gas: 21000n, value: 7n, maxFeePerGas: 9n })
    expect([
      formatData(unsigned.to as Uint8Array),
      formatData(unsigned.data as Uint8Array),
    ]).toEqual([ALICE, data])
    expect(read(await account.signTransaction(transaction as never))).toEqual(unsigned)
  })

  test.each(['0x', '0x80', '0x01', '0x05c0', '0xc0', '0x02ff', '0xf8'] as const)(
    'that is invalid is refused: %s',
    (raw) => {
      expect(() => readRawTransaction(parseData(raw))).toThrow(/rlp|type|short/)
    },
  )
})

describe('an action to test', () => {
  const wallet = parseData(MALLORY)

  test.each<readonly [string, unknown, object]>([
    [
      'a message',
      { method: 'personal_sign', params: { message: 'hé' } },
      { message: Uint8Array.of(0x68, 0xc3, 0xa9) },
    ],
    [
      'a message in hex',
      { method: 'personal_sign', params: { message: '00ff', encoding: 'hex' } },
      { message: Uint8Array.of(0, 255) },
    ],
    [
      'a hash',
      { method: 'secp256k1_sign', params: { hash: `0x${'00'.repeat(32)}` } },
      { hash: new Uint8Array(32) },
    ],
    [
      'a delegation',
      { method: 'eth_sign7702Authorization', params: { contract: ALICE, chain_id: 5 } },
      { chainId: 5n, nonce: 0n },
    ],
    ['an export', { method: 'exportPrivateKey' }, {}],
    [
      'typed data',
      {
        method: 'eth_signTypedData_v4',
        params: { typed_data: { domain: {}, types: { A: [] }, primary_type: 'A', message: {} } },
      },
      { typedData: { primaryType: 'A', message: {} } },
    ],
  ])('is read as the API reads it: %s', (_, given, expected) => {
    expect(readAction(given, wallet)).toMatchObject({
      method: (given as { method: string }).method,
      ...expected,
    })
  })

  test('without a chain is refused with the option to add', () => {
    const given = { method: 'eth_signTransaction', params: { transaction: { to: ALICE } } }
    expect(() => readAction(given, wallet)).toThrow(
      'the request has no chain: give caip2 or chain_id',
    )
  })
})
