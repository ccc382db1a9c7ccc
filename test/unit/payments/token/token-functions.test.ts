import { Wallet } from 'ethers'
import {
  concatHex,
  decodeEventLog,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  numberToHex,
  parseSignature,
  sliceHex,
  zeroAddress,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../../../host/base/dev-accounts.ts'
import { formatData } from '../../../../host/base/hex.ts'
import type { Log } from '../../../../host/evm/chain-types/log.ts'
import { PAYMENT_TOKEN, paymentTokenOf } from '../../../../host/evm/chain-types/payment-token.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import { compile } from '../../../support/contracts/solidity.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { TOKEN_ABI, TOKEN_TYPES, tokenDomain } from '../../../support/payments/token-abi.ts'
import { HOLDERS, TokenChain } from '../../../support/payments/token-chain.ts'

const TOKEN = paymentTokenOf(31337n)
const domain = tokenDomain(TOKEN)
const [alice, bob, carol] = HOLDERS as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
const MILLION = 1_000_000_000_000n
const NONCE = numberToHex(1n, { size: 32 })
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const contracts = compile('Payer.sol')
const payer = (name: string) => {
  const contract = contracts.get(name)
  if (contract === undefined) throw new Error(`Payer.sol has no ${name}`)
  return contract
}

let engine: Engine
let chain: TokenChain
beforeAll(async () => {
  engine = await openEngine(await compileEngine())
})
beforeEach(async () => {
  chain = await TokenChain.open(engine)
})

type Encoded = Parameters<typeof encodeFunctionData<typeof TOKEN_ABI>>[0]
const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: TOKEN_ABI, functionName, args } as Encoded)

async function read(functionName: string, ...args: unknown[]): Promise<unknown> {
  const answer = await chain.call(TOKEN, encode(functionName, args))
  if ('reason' in answer) throw new Error(answer.reason)
  return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data: answer.output } as never)
}

const balances = async (...of: readonly { address: Hex }[]) =>
  Promise.all(of.map(({ address }) => read('balanceOf', address)))

const events = (logs: readonly Log[]) =>
  logs.map(({ address, topics, data }) => {
    expect(formatData(address)).toBe(TOKEN.toLowerCase())
    const { eventName, args } = decodeEventLog({
      abi: TOKEN_ABI,
      topics: topics.map(formatData) as [Hex, ...Hex[]],
      data: formatData(data),
    })
    return [eventName, ...Object.values(args)]
  })

interface Authorized {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

const authorized = (fields: Partial<Authorized> = {}): Authorized => ({
  from: alice.address,
  to: bob.address,
  value: 5n,
  validAfter: 0n,
  validBefore: chain.time + 100n,
  nonce: NONCE,
  ...fields,
})

const signed = (
  message: Authorized,
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  by = alice,
) => by.signTypedData({ domain, types: TOKEN_TYPES, primaryType, message })

const parts = (signature: Hex): readonly [number, Hex, Hex] => {
  const { r, s, yParity } = parseSignature(signature)
  return [27 + yParity, r, s]
}

const fieldsOf = ({ from, to, value, validAfter, validBefore, nonce }: Authorized) => [
  from,
  to,
  value,
  validAfter,
  validBefore,
  nonce,
]

/** Returns the common reason why a call and a transaction fail, or undefined if they succeed. */
async function attempt(from: typeof alice, data: Hex): Promise<string | undefined> {
  const answer = await chain.call(TOKEN, data, from.address)
  const { status } = await chain.send(from, TOKEN, data)
  expect(status).toBe('reason' in answer ? 0 : 1)
  return 'reason' in answer ? answer.reason : undefined
}

test('the token returns the metadata that genesis and the x402 clients assume', async () => {
  const { name, symbol, version, decimals } = PAYMENT_TOKEN
  expect(await read('name')).toBe(name)
  expect(await read('symbol')).toBe(symbol)
  expect(await read('version')).toBe(version)
  expect(await read('decimals')).toBe(decimals)
  expect(await read('totalSupply')).toBe(10n * MILLION)
  expect(await balances(...HOLDERS)).toEqual(Array(10).fill(MILLION))
})

test('the type hashes of the token are those of EIP-2612 and EIP-3009, and its domain that of EIP-712', async () => {
  expect(await read('PERMIT_TYPEHASH')).toBe(
    '0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9',
  )
  expect(await read('TRANSFER_WITH_AUTHORIZATION_TYPEHASH')).toBe(
    '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
  )
  expect(await read('RECEIVE_WITH_AUTHORIZATION_TYPEHASH')).toBe(
    '0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8',
  )
  expect(await read('CANCEL_AUTHORIZATION_TYPEHASH')).toBe(
    '0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429',
  )
  expect(await read('DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain }))
})

describe('an authorization of the token', () => {
  test('signed with viem transfers its amount, whoever sends it', async () => {
    const message = authorized()
    const [v, r, s] = parts(await signed(message, 'TransferWithAuthorization'))
    const data = encode('transferWithAuthorization', [...fieldsOf(message), v, r, s])
    const { status, logs } = await chain.send(carol, TOKEN, data)
    expect(status).toBe(1)
    expect(events(logs)).toEqual([
      ['AuthorizationUsed', alice.address, NONCE],
      ['Transfer', alice.address, bob.address, 5n],
    ])
    expect(await balances(alice, bob)).toEqual([MILLION - 5n, MILLION + 5n])
    expect(await read('authorizationState', alice.address, NONCE)).toBe(true)
    expect(await attempt(carol, data)).toBe('FiatTokenV2: authorization is used or canceled')
  })

  test('signed with ethers is equivalent, as bytes too', async () => {
    const message = authorized()
    const { TransferWithAuthorization } = TOKEN_TYPES
    const wallet = new Wallet(DEV_ACCOUNTS[0]?.privateKey as Hex)
    const signature = (await wallet.signTypedData(
      domain,
      { TransferWithAuthorization: [...TransferWithAuthorization] },
      message,
    )) as Hex
    expect(signature).toBe(await signed(message, 'TransferWithAuthorization'))
    const data = encode('transferWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(carol, data)).toBeUndefined()
    expect(await balances(alice, bob)).toEqual([MILLION - 5n, MILLION + 5n])
  })

  test('to receive can be used by the payee only, and not for a transfer', async () => {
    const message = authorized()
    const signature = await signed(message, 'ReceiveWithAuthorization')
    const receive = encode('receiveWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(carol, receive)).toBe('FiatTokenV2: caller must be the payee')
    const transfer = encode('transferWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(bob, transfer)).toBe('FiatTokenV2: invalid signature')
    const whole = encode('receiveWithAuthorization', [...fieldsOf(message), ...parts(signature)])
    expect(await attempt(bob, whole)).toBeUndefined()
    expect(await balances(alice, bob)).toEqual([MILLION - 5n, MILLION + 5n])
  })

  test('that is cancelled cannot be used, and a used one cannot be cancelled', async () => {
    const cancellation = { authorizer: alice.address, nonce: NONCE }
    const signature = await alice.signTypedData({
      domain,
      types: TOKEN_TYPES,
      primaryType: 'CancelAuthorization',
      message: cancellation,
    })
    const data = encode('cancelAuthorization', [alice.address, NONCE, ...parts(signature)])
    const { logs } = await chain.send(carol, TOKEN, data)
    expect(events(logs)).toEqual([['AuthorizationCanceled', alice.address, NONCE]])
    const message = authorized()
    const payment = await signed(message, 'TransferWithAuthorization')
    expect(
      await attempt(carol, encode('transferWithAuthorization', [...fieldsOf(message), payment])),
    ).toBe('FiatTokenV2: authorization is used or canceled')
    const again = encode('cancelAuthorization', [alice.address, NONCE, signature])
    expect(await attempt(carol, again)).toBe('FiatTokenV2: authorization is used or canceled')
  })

  test('of more than the balance of its payer stays unused', async () => {
    const message = authorized({ value: MILLION + 1n })
    const signature = await signed(message, 'TransferWithAuthorization')
    const data = encode('transferWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(carol, data)).toBe('ERC20: transfer amount exceeds balance')
    expect(await read('authorizationState', alice.address, NONCE)).toBe(false)
  })

  test('to the zero address is refused', async () => {
    const message = authorized({ to: zeroAddress })
    const signature = await signed(message, 'TransferWithAuthorization')
    const data = encode('transferWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(carol, data)).toBe('ERC20: transfer to the zero address')
  })

  const tampered: readonly (readonly [string, (signature: Hex) => Hex, string])[] = [
    [
      'the higher s of its two signatures',
      (signature) => {
        const s = ORDER - hexToBigInt(sliceHex(signature, 32, 64))
        const v = 55 - Number(sliceHex(signature, 64))
        return concatHex([sliceHex(signature, 0, 32), numberToHex(s, { size: 32 }), numberToHex(v)])
      },
      "ECRecover: invalid signature 's' value",
    ],
    [
      'a parity in place of v',
      (signature) => concatHex([sliceHex(signature, 0, 64), '0x01']),
      "ECRecover: invalid signature 'v' value",
    ],
    ['64 bytes', (signature) => sliceHex(signature, 0, 64), 'ECRecover: invalid signature length'],
    [
      '66 bytes',
      (signature) => concatHex([signature, '0x00']),
      'ECRecover: invalid signature length',
    ],
    [
      'no point of the curve as r',
      (signature) => concatHex([numberToHex(ORDER, { size: 32 }), sliceHex(signature, 32)]),
      'ECRecover: invalid signature',
    ],
  ]
  test.each(tampered)('with %s is refused', async (_name, change, reason) => {
    const message = authorized()
    const signature = change(await signed(message, 'TransferWithAuthorization'))
    const data = encode('transferWithAuthorization', [...fieldsOf(message), signature])
    expect(await attempt(carol, data)).toBe(reason)
    expect(await read('authorizationState', alice.address, NONCE)).toBe(false)
  })

  test('of the zero address is refused, although an invalid signature recovers to it', async () => {
    const message = authorized({ from: zeroAddress, value: 0n })
    const broken = concatHex([numberToHex(0n, { size: 64 }), '0x1b'])
    const data = encode('transferWithAuthorization', [...fieldsOf(message), broken])
    expect(await attempt(carol, data)).toBe('ECRecover: invalid signature')
  })

  test('of another chain, version or token is refused', async () => {
    const message = authorized()
    for (const other of [
      { ...domain, chainId: 1329 },
      { ...domain, version: '1' },
      { ...domain, verifyingContract: paymentTokenOf(1329n) },
    ]) {
      const signature = await alice.signTypedData({
        domain: other,
        types: TOKEN_TYPES,
        primaryType: 'TransferWithAuthorization',
        message,
      })
      const data = encode('transferWithAuthorization', [...fieldsOf(message), signature])
      expect(await attempt(carol, data)).toBe('FiatTokenV2: invalid signature')
    }
  })
})

describe('a permit of the token', () => {
  const permitted = async (nonce: bigint, deadline: bigint, by = alice) => {
    const fields = { owner: alice.address, spender: bob.address, value: 7n, deadline }
    const signature = await by.signTypedData({
      domain,
      types: TOKEN_TYPES,
      primaryType: 'Permit',
      message: { ...fields, nonce },
    })
    return { fields: [fields.owner, fields.spender, fields.value, deadline], signature }
  }

  test('sets the allowance once, without end if its deadline is the maximum', async () => {
    const { fields, signature } = await permitted(0n, 2n ** 256n - 1n)
    const data = encode('permit', [...fields, ...parts(signature)])
    const { logs } = await chain.send(carol, TOKEN, data)
    expect(events(logs)).toEqual([['Approval', alice.address, bob.address, 7n]])
    expect(await read('nonces', alice.address)).toBe(1n)
    expect(await attempt(carol, data)).toBe('EIP2612: invalid signature')
    expect(await read('nonces', alice.address)).toBe(1n)
    const take = encode('transferFrom', [alice.address, carol.address, 7n])
    expect(await attempt(bob, take)).toBeUndefined()
    expect(await read('allowance', alice.address, bob.address)).toBe(0n)
    expect(await attempt(bob, take)).toBe('ERC20: transfer amount exceeds allowance')
  })

  test('as bytes is equivalent, and a late one or one of another signer is refused', async () => {
    const late = await permitted(0n, chain.time - 1n)
    expect(await attempt(carol, encode('permit', [...late.fields, late.signature]))).toBe(
      'FiatTokenV2: permit is expired',
    )
    const other = await permitted(0n, chain.time + 60n, carol)
    expect(await attempt(carol, encode('permit', [...other.fields, other.signature]))).toBe(
      'EIP2612: invalid signature',
    )
    const { fields, signature } = await permitted(0n, chain.time + 60n)
    expect(await attempt(carol, encode('permit', [...fields, signature]))).toBeUndefined()
    expect(await read('allowance', alice.address, bob.address)).toBe(7n)
  })
})

describe('a payer of the token that is a contract', () => {
  const payFrom = async (from: Hex, by = alice) => {
    const message = authorized({ from })
    const signature = await signed(message, 'TransferWithAuthorization', by)
    return {
      bytes: encode('transferWithAuthorization', [...fieldsOf(message), signature]),
      whole: encode('transferWithAuthorization', [...fieldsOf(message), ...parts(signature)]),
    }
  }
  const fund = (address: Hex) => chain.send(alice, TOKEN, encode('transfer', [address, 100n]))

  test('pays with a signature that it accepts (ERC-1271)', async () => {
    const address = await chain.deploy(alice, payer('OwnedPayer'), carol.address)
    await fund(address)
    const stranger = await payFrom(address, bob)
    expect(await attempt(bob, stranger.bytes)).toBe('FiatTokenV2: invalid signature')
    const owner = await payFrom(address, carol)
    expect(await attempt(bob, owner.bytes)).toBeUndefined()
    expect(await balances({ address }, bob)).toEqual([95n, MILLION + 5n])
  })

  const MAGIC = '0x1626ba7e'
  test.each([
    ['nothing', '0x'],
    ['four bytes', MAGIC],
    ['another number', numberToHex(1n, { size: 32 })],
    ['the number and more beside it', concatHex([MAGIC, `0x${'00'.repeat(27)}01`])],
  ] as const)('that returns %s does not pay', async (_name, answer) => {
    const address = await chain.deploy(alice, payer('Parrot'), answer)
    await fund(address)
    expect(await attempt(bob, (await payFrom(address)).bytes)).toBe(
      'FiatTokenV2: invalid signature',
    )
  })

  test('that returns the magic value pays', async () => {
    const address = await chain.deploy(alice, payer('Parrot'), `${MAGIC}${'00'.repeat(28)}`)
    await fund(address)
    expect(await attempt(bob, (await payFrom(address)).whole)).toBeUndefined()
  })

  test('by delegation (EIP-7702) pays if that code accepts its key, and as soon as the delegation ends', async () => {
    const knows = await chain.deploy(bob, payer('SelfPayer'))
    const ignores = await chain.deploy(bob, payer('Parrot'), '0x')
    await chain.send(alice, alice.address, '0x', { to: ignores })
    const { bytes, whole } = await payFrom(alice.address)
    expect(await attempt(bob, bytes)).toBe('FiatTokenV2: invalid signature')
    await chain.send(alice, alice.address, '0x', { to: knows })
    expect(await attempt(bob, whole)).toBeUndefined()
    await chain.send(alice, alice.address, '0x', { to: zeroAddress })
    const next = authorized({ nonce: numberToHex(2n, { size: 32 }) })
    const signature = await signed(next, 'TransferWithAuthorization')
    const data = encode('transferWithAuthorization', [...fieldsOf(next), signature])
    expect(await attempt(bob, data)).toBeUndefined()
    expect(await balances(alice, bob)).toEqual([MILLION - 10n, MILLION + 10n])
  })
})

test('the token has no function to mint, and none that accepts unknown input', async () => {
  const mint = '0x40c10f19'
  expect(await chain.call(TOKEN, concatHex([mint, numberToHex(1n, { size: 64 })]))).toEqual({
    reason: '',
  })
  expect(await chain.call(TOKEN, '0x')).toEqual({ reason: '' })
})
